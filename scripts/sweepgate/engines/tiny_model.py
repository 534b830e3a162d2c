"""The embedded engine's model: no weights, only a tokenizer and a configuration, made on this machine.

The mocker emits token ids of up to a few thousand, so the vocabulary needs as many that decode to text: bytes,
syllables, and words of two syllables, 8,192 in all, with byte-pair merges that rebuild them.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from pathlib import Path

NAME = "sweepgate/tiny"
# The hub's cache layout wants a revision; a new layout of the model needs a new one.
REVISION = "0000000000000000000000000000000000000001"
VOCABULARY = 8192
_CONTEXT = 131_072
_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def ensure(hf_home: Path) -> None:
    """Put the model into the hub cache under `hf_home` unless it is there already; concurrent callers are safe."""
    repository = hf_home / "hub" / f"models--{NAME.replace('/', '--')}"
    snapshot = repository / "snapshots" / REVISION
    if snapshot.is_dir() and (repository / "refs" / "main").is_file():
        return
    snapshot.parent.mkdir(parents=True, exist_ok=True)
    (repository / "refs").mkdir(exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=repository))
    try:
        _write_model(draft)
        if not snapshot.exists():
            os.replace(draft, snapshot)
    except OSError:
        # Another process was faster: its snapshot is as good as ours.
        if not snapshot.is_dir():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    (repository / "refs" / "main").write_text(REVISION)


def _write_model(folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    vocabulary, merges = _vocabulary(sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(_SPECIAL))
    tokenizer.save(str(folder / "tokenizer.json"))
    end = vocabulary["<|im_end|>"]
    _json(
        folder / "tokenizer_config.json",
        tokenizer_class="PreTrainedTokenizerFast",
        eos_token="<|im_end|>",  # noqa: S106 - a token of text, not a secret
        pad_token="<|endoftext|>",  # noqa: S106 - a token of text, not a secret
        model_max_length=_CONTEXT,
        chat_template=_TEMPLATE,
    )
    _json(folder / "generation_config.json", eos_token_id=end)
    _json(
        folder / "config.json",
        architectures=["Qwen3ForCausalLM"],
        model_type="qwen3",
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        vocab_size=VOCABULARY,
        max_position_embeddings=_CONTEXT,
        bos_token_id=vocabulary["<|endoftext|>"],
        eos_token_id=end,
        torch_dtype="bfloat16",
        tie_word_embeddings=True,
    )


def _vocabulary(alphabet: list[str]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    vocabulary = {character: index for index, character in enumerate(alphabet)}
    merges: list[tuple[str, str]] = []
    syllables = ["".join(pair) for pair in itertools.product("bcdfghjklmnpqrstvwxz", "aeiouy")]
    pairs: list[tuple[str, str]] = [(syllable[0], syllable[1]) for syllable in syllables]
    # "Ġ" is how byte-level vocabularies spell a leading space.
    pairs += [("Ġ", syllable) for syllable in syllables]
    pairs += [("Ġ" + first, second) for first, second in itertools.product(syllables, syllables)]
    for left, right in pairs:
        if len(vocabulary) == VOCABULARY - len(_SPECIAL):
            break
        vocabulary[left + right] = len(vocabulary)
        merges.append((left, right))
    for token in _SPECIAL:
        vocabulary[token] = len(vocabulary)
    return vocabulary, merges


def _json(path: Path, **values: object) -> None:
    path.write_text(json.dumps(values, indent=1) + "\n")

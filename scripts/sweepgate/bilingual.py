"""Words for contributors, in the two languages of comments on pull requests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bilingual:
    """One text in English and in Simplified Chinese; names, labels and numbers are the same in both."""

    en: str
    zh: str

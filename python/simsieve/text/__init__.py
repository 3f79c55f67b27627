"""Texts before they are encoded: words of Chinese, pages of HTML, and checks of a caller's texts."""

"""Texts before they are encoded: words of Chinese, pages of HTML, and checks of what a caller gives."""

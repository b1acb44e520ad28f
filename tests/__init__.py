"""Tests mirror src/knobel; run them with ./check."""

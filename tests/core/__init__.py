"""Tests of the rules core; `reference` holds the rules a second time, `playing` plays and checks whole games."""

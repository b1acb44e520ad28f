"""Computer players: policies that choose an action in a state."""

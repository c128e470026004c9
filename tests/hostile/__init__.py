"""Programs that try to get a wrong pass, and right ones that try to get a false alarm."""

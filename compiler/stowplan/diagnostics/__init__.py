"""What a finding is, how findings travel with values, and how they look."""

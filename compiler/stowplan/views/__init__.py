"""Views of the values that the passes make: JSON and text of the plan, explanations in words."""

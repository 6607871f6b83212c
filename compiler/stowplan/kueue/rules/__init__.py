"""Rules on rendered Kueue objects and jobs, one module a theme."""

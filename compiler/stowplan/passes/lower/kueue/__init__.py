"""Kueue on members and manager: what each cluster's queues need, in the dialect that it speaks."""

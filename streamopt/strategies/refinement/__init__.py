"""Schedules that are as good in the model as the one found, and better when simulated."""

"""A source in, a verified design with its report out: steps that a later run goes on from.

`steps` has the steps and who is told of them, `request` the question, `journal` the steps that are
done, `search` the schedule, `outcome` the verdict; `run` puts them together.
"""

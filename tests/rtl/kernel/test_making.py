"""Kernels of scheduled graphs: stages, intervals, and what is refused. Nothing is printed."""

import pytest

import streamopt as so
from streamopt.errors import CodegenError
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.rtl.kernel.kernel import Combined, Received, Recalled
from streamopt.rtl.kernel.making import make_kernels
from streamopt.transforms.lower import lower

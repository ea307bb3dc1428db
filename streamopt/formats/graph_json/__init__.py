"""graph.json, the form in which people write programs: read and write."""

from streamopt.formats.graph_json.reader import load_graph_json, read_graph_json
from streamopt.formats.graph_json.writer import write_graph_json

__all__ = ["load_graph_json", "read_graph_json", "write_graph_json"]

"""Programs that run an emitted design: testbenches and hosts that load it on a board."""

"""Files and objects that users have, as programs and graphs."""

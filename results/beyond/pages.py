def write_pages(read): return ()

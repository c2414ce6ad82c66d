-- What a server may do with the tables, and nothing else: `bench` gives each server a role of its own with these rights.
GRANT SELECT ON world, fortune, orders, order_line TO server;
-- Of one column, because the right to update a table includes the right to lock all of it.
GRANT UPDATE (random_number) ON world TO server;
GRANT INSERT ON orders, order_line TO server;

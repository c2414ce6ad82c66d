-- What a server may do with the tables, and nothing else: `bench` gives each server a role of its own with these rights.
GRANT SELECT ON world, fortune, orders, order_line TO server;
-- Of one column, because whoever may update a table may lock all of it against others.
GRANT UPDATE (random_number) ON world TO server;
GRANT INSERT ON orders, order_line TO server;

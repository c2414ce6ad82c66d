-- The rows, the same every time: numbers come from the ids by a multiplicative hash, not from chance.

INSERT INTO world (id, random_number)
SELECT id, 1 + (id::bigint * 2654435761 % 4294967296 % 10000)::integer FROM generate_series(1, 10000) AS id;

INSERT INTO fortune (id, message) VALUES
    (1, 'A log with no timestamps is a diary.'),
    (2, 'It worked on the machine that nobody may touch.'),
    (3, 'The cache is right until it is asked.'),
    (4, 'Two hard things: names, and off-by-one errors, and invalidation.'),
    (5, 'A queue is a promise to be slow later.'),
    (6, 'Every timeout was once somebody''s guess.'),
    (7, 'Measure twice, publish once.'),
    (8, 'Nothing is as permanent as a temporary table.'),
    (9, 'The index that you drop is the one that was used.'),
    (10, 'Ein Schloss für ein Schloß & "zwei" Übungen'),
    (11, '<script>alert("This is text, and no script.");</script>'),
    (12, 'フレームワークのベンチマーク');

INSERT INTO orders (id, customer)
SELECT id, 1 + id % 500 FROM generate_series(1, 10000) AS id;

INSERT INTO order_line (order_id, product, quantity)
SELECT id, 1 + (id * 7 + line * 311) % 1000, line FROM generate_series(1, 10000) AS id, generate_series(1, 3) AS line;

SELECT setval(pg_get_serial_sequence('orders', 'id'), 10000);

//! The statements, each prepared once on every connection. Drivers with a language of their own for queries write what comes to the
//! same; `apps/postgres/README.md` says what the harness counts.

pub const WORLD: &str = "SELECT id, random_number FROM world WHERE id = $1";
pub const UPDATE_WORLD: &str = "UPDATE world SET random_number = $2 WHERE id = $1";
pub const FORTUNES: &str = "SELECT id, message FROM fortune";
pub const NEW_ORDER: &str = "INSERT INTO orders (customer) VALUES ($1) RETURNING id";
pub const NEW_LINES: &str =
    "INSERT INTO order_line (order_id, product, quantity) SELECT $1, * FROM unnest($2::int[], $3::int[])";
pub const ORDER: &str = "SELECT orders.customer, order_line.product, order_line.quantity FROM orders \
     JOIN order_line ON order_line.order_id = orders.id WHERE orders.id = $1 ORDER BY order_line.product";

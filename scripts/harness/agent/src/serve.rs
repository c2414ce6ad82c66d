//! The program that runs on the other machine: it takes orders on its input, and ends when that does.

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::Instant;

use crate::counters;
use crate::link;
use crate::load;
use crate::words::{Answer, LONGEST_LINE, LoadOrder, Order, SILENCE};

/// Takes orders until the input ends, or nothing is heard of the harness for [`SILENCE`].
pub fn serve() -> io::Result<()> {
    say(&Answer::Ready(counters::machine()))?;
    let (sender, orders) = channel();
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        while let Ok(Some(order)) = heard(&mut input) {
            if sender.send(order).is_err() {
                return;
            }
        }
    });
    let mut agent = Agent {
        orders,
        heard_at: Instant::now(),
        interface: None,
    };
    loop {
        match agent.orders.recv_timeout(SILENCE) {
            Ok(order) => agent.obey(order)?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// The next order, or what is wrong with it; `None` at the end.
fn heard(input: &mut impl BufRead) -> io::Result<Option<Result<Order, String>>> {
    let mut line = Vec::new();
    input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    let order = serde_json::from_slice(&line).map_err(|error| format!("this is no order: {error}"));
    Ok(Some(order))
}

fn say(answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

struct Agent {
    orders: Receiver<Result<Order, String>>,
    heard_at: Instant,
    /// The network interface by which servers are reached.
    interface: Option<String>,
}

/// Said of a load that was stopped.
const STOPPED: &str = "stopped";
/// Said of a load after which nobody asks.
const LEFT: &str = "the harness is gone";

impl Agent {
    fn obey(&mut self, order: Result<Order, String>) -> io::Result<()> {
        self.heard_at = Instant::now();
        let answer = match order {
            Err(reason) => Answer::Failed { reason },
            Ok(Order::Ping) => Answer::Clocks(counters::clocks()?),
            Ok(Order::Stop) => return Ok(()), // that load has ended by itself
            Ok(Order::Link { address }) => match link::measure(address) {
                Ok(seen) => {
                    self.interface.clone_from(&seen.interface);
                    Answer::Link(seen)
                }
                Err(error) => Answer::Failed {
                    reason: format!("cannot reach {address}: {error}"),
                },
            },
            Ok(Order::Load(order)) => match self.load(&order) {
                Ok(seen) => Answer::Load(Box::new(seen)),
                Err(reason) if reason == LEFT => return Err(io::Error::other(reason)),
                Err(reason) => Answer::Failed { reason },
            },
        };
        say(&answer)
    }

    fn load(&mut self, order: &LoadOrder) -> Result<crate::words::LoadSeen, String> {
        let Self {
            orders,
            heard_at,
            interface,
        } = self;
        load::make(order, interface.as_deref(), || match orders.try_recv() {
            Ok(Ok(Order::Ping)) => {
                *heard_at = Instant::now();
                let clocks = counters::clocks().map_err(|error| error.to_string())?;
                say(&Answer::Clocks(clocks)).map_err(|_| LEFT.to_owned())
            }
            Ok(Ok(Order::Stop)) => Err(STOPPED.into()),
            Ok(Ok(_)) => Err("another order came during a load".into()),
            Ok(Err(reason)) => Err(reason),
            Err(TryRecvError::Disconnected) => Err(LEFT.into()),
            Err(TryRecvError::Empty) if heard_at.elapsed() > SILENCE => Err(LEFT.into()),
            Err(TryRecvError::Empty) => Ok(()),
        })
    }
}

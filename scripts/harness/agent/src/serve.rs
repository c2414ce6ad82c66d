//! The program that runs on the other machine: it takes commands on its input, and ends when that does.

use std::error::Error;
use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Instant;

use crate::protocol::{Clocks, Command, Reply, SILENCE};
use crate::{link, load, machine};

/// Takes commands until the input ends, or nothing is heard of the harness for [`SILENCE`].
pub fn serve() -> io::Result<()> {
    say(&Reply::Ready(machine::machine()?))?;
    let (sender, commands) = channel();
    thread::spawn(move || {
        for line in io::stdin().lines() {
            let command = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            // A line that is no command is the end too.
            let Some(command) = command else { return };
            if sender.send(command).is_err() {
                return;
            }
        }
    });
    while let Ok(command) = commands.recv_timeout(SILENCE) {
        if command != Command::Alive {
            let reply = obey(command, &commands).unwrap_or_else(|error| Reply::Failed(error.to_string()));
            say(&reply)?;
        }
    }
    Ok(())
}

fn say(reply: &Reply) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{}", serde_json::to_string(reply)?)?;
    output.flush()
}

fn obey(command: Command, commands: &Receiver<Command>) -> Result<Reply, Box<dyn Error>> {
    match command {
        Command::Alive | Command::Clocks => Ok(Reply::Clocks(Clocks::now()?)),
        Command::Link(address) => {
            let stream = TcpStream::connect_timeout(&address, link::PATIENCE)
                .map_err(|error| format!("cannot reach {address}: {error}"))?;
            let mbit = link::answer(stream.try_clone()?)?;
            Ok(Reply::Link(machine::link(&stream, mbit)?))
        }
        Command::Load(load) => {
            let mut heard_at = Instant::now();
            let is_heard = || match commands.try_recv() {
                Ok(_) => {
                    heard_at = Instant::now();
                    true
                }
                Err(TryRecvError::Empty) => heard_at.elapsed() <= SILENCE,
                Err(TryRecvError::Disconnected) => false,
            };
            Ok(Reply::Load(Box::new(load::make(&load, is_heard)?)))
        }
    }
}

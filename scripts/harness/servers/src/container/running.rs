//! One container: creates it, starts it, finds its process on this machine, and removes it.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use procfs::process::Process;

use super::engine::Engine;
use super::image::Image;
use super::owner;
use machine::limits;
use machine::process::Child;

/// Memory limit of every container: well above any workload (`ram` over 8 connections fills 320 MiB), and low enough to stop a
/// leaking server before the machine suffers.
pub const MEMORY: &str = "2g";
/// Port of a server behind a bridge, in its own network.
const INNER_PORT: u16 = 8080;
/// Limit of open files if this process has none: the kernel's usual `fs.nr_open`.
const MOST_FILES: u64 = 1 << 20;
/// Longest wait for the process of a container to show up; the server has answered by then.
const SEEN: Duration = Duration::from_secs(5);

/// How a container is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// It has the network of the host.
    Host,
    /// It has its own network, with a port published on 127.0.0.1.
    Bridge,
}

/// Settings of a container.
#[derive(Debug)]
pub struct Order<'a> {
    /// Its image.
    pub image: &'a Image,
    /// How it is reached.
    pub network: Network,
    /// Where the server shall answer.
    pub address: SocketAddr,
    /// Cpus that it may use.
    pub cpus: &'a [u32],
    /// Environment of the server, except its address.
    pub settings: Vec<(&'static str, SettingValue)>,
}

/// The value of an environment variable.
#[derive(Debug, Clone)]
pub enum SettingValue {
    /// A literal value.
    Text(String),
    /// A file on this machine that the server reads; in a container it has another path.
    File(PathBuf),
}

impl SettingValue {
    /// A literal value.
    pub fn text(value: &impl ToString) -> Self {
        Self::Text(value.to_string())
    }
}

/// A container. It is removed when this value is dropped, running or not.
#[derive(Debug)]
pub struct Container {
    engine: Engine,
    id: String,
    program: String,
    /// Port on which the engine listens for it.
    published: Option<u16>,
}

impl Container {
    /// Creates and starts it. The child is the engine's command, which passes on the server's output and exit status.
    pub fn start(order: &Order<'_>) -> io::Result<(Self, Child)> {
        let engine = &order.image.engine;
        let arguments = arguments(order);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let id = engine.run(&arguments).map_err(io::Error::other)?;
        let created = Self {
            engine: engine.clone(),
            id: id.lines().last().unwrap_or_default().trim().to_owned(),
            program: order.image.program.clone(),
            published: (order.network == Network::Bridge).then_some(order.address.port()),
        };
        let mut command = engine.command();
        command.args(["start", "--attach", &created.id]).stdout(Stdio::null());
        Ok((created, Child::start(command, &[])?))
    }

    /// Process id of the server on this machine.
    ///
    /// Fails if the engine runs on another or a virtual machine, where its process ids mean nothing here.
    pub fn pid(&self) -> io::Result<i32> {
        let until = Instant::now() + SEEN;
        loop {
            let output = self
                .engine
                .run(&["container", "inspect", "--format", "{{.State.Pid}}", &self.id])
                .map_err(io::Error::other)?;
            let pid = output.parse().unwrap_or(0);
            let command = Process::new(pid).and_then(|process| process.cmdline());
            if command.is_ok_and(|command| command.first() == Some(&self.program)) {
                return Ok(pid);
            }
            if Instant::now() > until {
                return Err(io::Error::other(
                    "the container runs on another machine than this command, and cannot be measured from here",
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Process ids of the engine's proxies for its published port; every byte passes through them.
    pub fn proxies(&self) -> Vec<i32> {
        let Some(port) = self.published else {
            return Vec::new();
        };
        let processes = procfs::process::all_processes().into_iter().flatten().flatten();
        let proxies = processes.filter(|process| process.cmdline().is_ok_and(|command| is_proxy_of(&command, port)));
        proxies.map(|process| process.pid()).collect()
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // It may be gone by itself, or about to be; what runs in it is killed.
        let _ = self.engine.run(&["rm", "--force", "--volumes", &self.id]);
    }
}

/// `/usr/bin/docker-proxy -proto tcp -host-ip 127.0.0.1 -host-port 40123 …`
fn is_proxy_of(command: &[String], port: u16) -> bool {
    let is_proxy = command.first().is_some_and(|program| program.ends_with("docker-proxy"));
    is_proxy
        && command
            .windows(2)
            .any(|pair| pair[0] == "-host-port" && pair[1] == port.to_string())
}

fn arguments(order: &Order<'_>) -> Vec<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let engine = &order.image.engine;
    let owner = owner::this();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let files = limits::files().map_or(MOST_FILES, |(soft, _)| soft.min(MOST_FILES));
    let mut arguments = vec![
        "create".into(),
        "--rm".into(),
        "--read-only".into(),
        "--log-driver=none".into(),
        "--pull=never".into(),
        "--security-opt=no-new-privileges".into(),
        format!("--name=bench-{owner}-{number}"),
        format!("--label={}={owner}", owner::LABEL),
        format!("--memory={MEMORY}"),
        format!("--ulimit=nofile={files}:{files}"),
    ];
    if !order.cpus.is_empty() {
        let cpus: Vec<String> = order.cpus.iter().map(u32::to_string).collect();
        arguments.push(format!("--cpuset-cpus={}", cpus.join(",")));
    }
    // The same user as natively, so that /proc can be read; with a rootless engine that is the container's root.
    if !engine.is_rootless {
        arguments.push(format!("--user={}:{}", nix::unistd::geteuid(), nix::unistd::getegid()));
    }
    if engine.is_podman {
        arguments.push("--http-proxy=false".into());
    }
    arguments.extend(match order.network {
        Network::Host => vec!["--network=host".into(), format!("--env=ADDR={}", order.address)],
        Network::Bridge => vec![
            "--network=bridge".into(),
            format!("--publish={}:{INNER_PORT}", order.address),
            format!("--env=ADDR=0.0.0.0:{INNER_PORT}"),
        ],
    });
    for (name, value) in &order.settings {
        match value {
            SettingValue::Text(text) => arguments.push(format!("--env={name}={text}")),
            SettingValue::File(path) => {
                let inside = format!("/{}", path.file_name().unwrap_or_default().to_string_lossy());
                arguments.push(format!("--env={name}={inside}"));
                arguments.push(mount(path, &inside));
            }
        }
    }
    arguments.push(order.image.id.clone());
    arguments
}

/// The option by which `source` is read at `inside`: a line of CSV, whose fields with a comma or a quote stand in quotes.
fn mount(source: &Path, inside: &str) -> String {
    let source = source.display().to_string().replace('"', "\"\"");
    format!("--mount=type=bind,\"source={source}\",target={inside},readonly")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_mounted_whatever_its_folder_is_called() {
        assert_eq!(
            mount(Path::new("/a,b \"c\"/cert.pem"), "/cert.pem"),
            "--mount=type=bind,\"source=/a,b \"\"c\"\"/cert.pem\",target=/cert.pem,readonly"
        );
    }

    #[test]
    fn a_proxy_is_known_by_its_port() {
        let command = |program: &str| -> Vec<String> {
            let line = format!("{program} -proto tcp -host-ip 127.0.0.1 -host-port 40123 -container-port 8080");
            line.split(' ').map(str::to_owned).collect()
        };
        let proxy = command("/usr/bin/docker-proxy");
        assert!(is_proxy_of(&proxy, 40123) && !is_proxy_of(&proxy, 8080));
        assert!(!is_proxy_of(&command("sh"), 40123) && !is_proxy_of(&[], 1));
    }
}

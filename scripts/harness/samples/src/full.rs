//! A record with every field that there is.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use jiff::Timestamp;

use super::{HOSTILE_NAME, HOSTILE_REASON, scenario, summed, trial, varied};
use model::scenario::{Counted, Database, GeneratorKind, LoadModel, Method, Scenario};
use model::{
    AnswerHead, AppRecord, BuildCosts, Confinement, Control, Cost, CostTools, Costs, Cpu, DatabaseServer, Dependencies,
    Latency, LoadMachine, MachineState, OtherProgram, Record, Release, Repeated, RequestCosts, Role, Rss, Served,
    Service, Services, Slices, SplitTried, Syscalls, Trial,
};

/// [`varied`], and every field that a record can have: a database behind the servers, slices, counts, costs.
#[must_use]
pub fn full() -> Record {
    let mut record = varied();
    record.harness.foreign_settings = vec!["RUSTFLAGS".to_owned()];
    let environment = &mut record.environment;
    environment.cpu = Some(Cpu {
        vendor: Some("AuthenticAMD".to_owned()),
        family: Some("25".to_owned()),
        model: Some("17".to_owned()),
        stepping: Some("1".to_owned()),
        l1d_kib: Some(32),
        l2_kib: Some(1024),
        l3_kib: Some(32_768),
        hypervisor: Some("Microsoft Hv".to_owned()),
    });
    environment.database = Some(DatabaseServer {
        version: "PostgreSQL 15.18".to_owned(),
        cpus: vec![1],
        file_system: Some("ext4".to_owned()),
        settings: BTreeMap::from([("shared_buffers".to_owned(), "128MB".to_owned())]),
    });
    environment.load_machines = vec![LoadMachine {
        cpu_model: HOSTILE_NAME.to_owned(),
        logical_cpus: 8,
        kernel: "6.12.0".to_owned(),
        generator_hash: "5".repeat(64),
        is_this_one: false,
        rtt_us: 121.4,
        to_mbit: 9_412.7,
        from_mbit: 9_380.1,
        mtu: Some(1500),
        interface_mbit: Some(10_000),
        clock_apart_seconds: 0.003,
        clock_error_us: 88.5,
    }];
    environment.splits = vec![SplitTried {
        server_cpus: vec![0],
        generator_cpus: vec![1, 2, 3],
        goodput_rps: 188_000.0,
        server_cpu_share: 0.99,
        generator_cpu_share: 0.7,
    }];
    environment.other_programs = vec![OtherProgram {
        name: HOSTILE_NAME.to_owned(),
        cpus: 0.7,
    }];
    environment.irq_time_apart = Some(true);
    environment.server_cpu_quota = Some(0.5);
    environment.valgrind = Some("3.19.0".to_owned());
    environment.tools = BTreeMap::from([("h2spec".to_owned(), "2.6.0".to_owned())]);
    environment.governor = Some("performance".to_owned());
    environment.turbo = Some(false);
    environment.container_engine = Some("docker 27.3.1".to_owned());
    environment.generators = BTreeMap::from([(GeneratorKind::Wrk, "4.1.0".to_owned())]);
    environment.confined = BTreeSet::from([Confinement::OwnUser, Confinement::NoWrites]);
    let (backed, capacity, served) = (database_scenario(), capacity_scenario(), services_scenario());
    record.trials.extend((1..=5).flat_map(|round| {
        let trial = full_trial(round);
        let searched = Trial {
            scenario: capacity.id.clone(),
            capacity_rps: Some(41_000.0),
            ..trial.clone()
        };
        let layered = Trial {
            app: "rocket".to_owned(),
            scenario: served.id.clone(),
            ..trial.clone()
        };
        [trial, searched, layered]
    }));
    record.scenarios.extend([backed, capacity, served]);
    for app in &mut record.apps {
        if app.id == "actix-web" {
            app.stack = Some("sqlx 0.8, its pool".to_owned());
            app.known_fault = Some("answers HTTP/1.0 with HTTP/1.1".to_owned());
            app.note = Some("its timer has steps of 16 ms (https://example.org/timer)".to_owned());
            app.costs = Some(costs());
        }
        if app.build_error.is_some() {
            app.withdrawn = Some("its server wrote an access log".to_owned());
        }
        if app.id == "rocket" {
            app.services = Some(services());
            app.instructions_not_counted = Some("it does not run under valgrind".to_owned());
            app.not_probed = Some(HOSTILE_REASON.to_owned());
        }
    }
    record.controls.push(control(&record));
    summed(record)
}

fn control(record: &Record) -> Control {
    let reference = record.apps.iter().find(|app| app.role == Role::Reference);
    Control {
        app: AppRecord {
            id: "control".to_owned(),
            variant: "plus-2".to_owned(),
            role: Role::Control,
            layout_seed: NonZeroU32::new(1),
            added_work: Some(100),
            ..reference.expect("every run has one").clone()
        },
        trials: vec![Trial {
            app: "control".to_owned(),
            variant: "plus-2".to_owned(),
            scenario: "plaintext".to_owned(),
            injected_ns: Some(184.2),
            ..full_trial(1)
        }],
    }
}

fn services() -> Services {
    let mut offers = Service::ALL.iter().copied().collect::<BTreeSet<_>>();
    offers.remove(&Service::Middleware);
    Services {
        offers,
        not_offered: BTreeMap::from([(Service::Middleware, "no middleware in its documentation".to_owned())]),
    }
}

fn database_scenario() -> Scenario {
    Scenario {
        method: Method::Post,
        body: Some("{\"customer\":42}".to_owned()),
        database: Some(Database {
            connections_per_worker: 4,
        }),
        slice_seconds: Some(0.2),
        cpu_quota: true,
        refused: true,
        counted: Some(Counted::default()),
        requests: Some(10_000),
        ..scenario("orders", "An order in one transaction", "/orders", LoadModel::Closed)
    }
}

fn services_scenario() -> Scenario {
    Scenario {
        service: Some(Served {
            kind: Service::Websocket,
            routes: 1,
            layers: 0,
            message_bytes: Some(64),
        }),
        stands_for: Some("messages of a game".to_owned()),
        workers: Some(2),
        round_trip_us: Some(2_000),
        ..scenario("websocket-64", "Small messages", "/websocket", LoadModel::Closed)
    }
}

fn capacity_scenario() -> Scenario {
    Scenario {
        own_load: Some("each load as the one before says".to_owned()),
        ..scenario(
            "capacity",
            "The highest rate",
            "/hello",
            LoadModel::Capacity { p99_ms: 10.0 },
        )
    }
}

fn full_trial(round: u32) -> Trial {
    Trial {
        scenario: "orders".to_owned(),
        database_cpu_us_per_request: Some(40.5),
        database_cpu_share: Some(0.8),
        link_share: Some(0.3),
        system_cpu_share: Some(0.6),
        database_connections_open: Some(4),
        database_connections_active: Some(3.2),
        answer_bytes: Some(3916.5),
        first_byte_ms: Some(0.42),
        instructions_per_request: Some(123_456.0 + f64::from(round)),
        other_cpu_share: Some(0.01),
        idle_cpu_share: Some(0.001),
        apart: true,
        latency_ms: Some(Latency::from([0.1, 0.3, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8])),
        rss_bytes: Some(Rss {
            idle: 4_000_000,
            peak: 12_000_000,
            after: 11_000_000,
        }),
        reasons: vec![HOSTILE_REASON.to_owned()],
        errors: BTreeMap::from([("connection reset".to_owned(), 1)]),
        state: Some(MachineState {
            counted: 2,
            of: 2,
            slowness: 1.02,
        }),
        slices: Some(Slices {
            sub_round: vec![1, 2],
            place: vec![1, 2],
            answers: vec![4000, 4100],
            length_us: vec![200_000, 200_100],
            server_cpu_us: vec![190_000, 191_000],
            generator_cpu_us: vec![90_000, 91_000],
            database_cpu_us: vec![160_000, 161_000],
            other_cpu_us: vec![0, 10_000],
        }),
        disturbed_slices: Some(Slices {
            sub_round: vec![3],
            place: vec![1],
            answers: vec![2000],
            length_us: vec![200_200],
            server_cpu_us: vec![120_000],
            generator_cpu_us: vec![60_000],
            database_cpu_us: vec![80_000],
            other_cpu_us: vec![140_000],
        }),
        ..trial(round)
    }
}

fn costs() -> Costs {
    Costs {
        with: CostTools {
            jobs: 4,
            valgrind: Some("3.19.0".to_owned()),
            strace: Some("6.1".to_owned()),
            strip: Some("2.40".to_owned()),
        },
        build: Some(BuildCosts {
            stripped_bytes: Cost::Measured(3_100_000),
            clean_build_seconds: Cost::NotAvailable(HOSTILE_REASON.to_owned()),
            incremental_build_seconds: Cost::Measured(Repeated {
                median: 7.0,
                each: vec![6.9, 7.0, 7.2],
            }),
            dependencies: Cost::Measured(Dependencies {
                names: 120,
                versions: 124,
            }),
        }),
        requests: vec![RequestCosts {
            instructions_each: vec![14_100.0, 14_000.0],
            scenario: "plaintext".to_owned(),
            head: Cost::Measured(AnswerHead {
                bytes: 117,
                fields: ["content-type", "content-length", "date"].map(str::to_owned).into(),
            }),
            instructions: Cost::Measured(11_000.0),
            syscalls: Cost::Measured(Syscalls {
                total: 4.0,
                by_name: BTreeMap::from([("epoll_wait".to_owned(), 1.0)]),
            }),
        }],
        release: Some(Release {
            of: "axum".to_owned(),
            version: "0.8.4".to_owned(),
            published: Some(Timestamp::UNIX_EPOCH),
            yanked: true,
            of_its_day: true,
            together_with: vec!["axum-macros".to_owned()],
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// The names of all fields within `value` that have a value.
    fn fields(value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Object(all) => {
                for (name, field) in all.iter().filter(|(_, field)| !field.is_null()) {
                    names.insert(name.clone());
                    fields(field, names);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| fields(item, names)),
            _ => {}
        }
    }

    /// The names of all properties within a schema.
    fn properties(schema: &Value, names: &mut BTreeSet<String>) {
        if let Some(Value::Object(all)) = schema.get("properties") {
            names.extend(all.keys().cloned());
        }
        match schema {
            Value::Object(all) => all.values().for_each(|part| properties(part, names)),
            Value::Array(items) => items.iter().for_each(|part| properties(part, names)),
            _ => {}
        }
    }

    #[test]
    fn the_full_sample_and_that_of_probes_have_every_field_that_a_record_can_have() {
        let (mut known, mut seen) = (BTreeSet::new(), BTreeSet::new());
        properties(
            &serde_json::to_value(schemars::schema_for!(Record)).unwrap(),
            &mut known,
        );
        for record in [full(), crate::probes()] {
            fields(&serde_json::to_value(&record).unwrap(), &mut seen);
        }
        let missing: Vec<&String> = known.difference(&seen).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

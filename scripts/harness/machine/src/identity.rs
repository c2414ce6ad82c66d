//! Which cpu this is: many have one model name, and what they take for the same program differs.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use procfs::{CpuInfo, Current as _};

use crate::kernel_files::read_small_file;
use model::Cpu;

/// This cpu of the machine, the first of those that serve.
pub fn cpu(number: u32) -> Cpu {
    let cpus = CpuInfo::current().ok();
    let fields = cpus.as_ref().and_then(|cpus| cpus.get_info(number as usize));
    let caches = format!("/sys/devices/system/cpu/cpu{number}/cache");
    of(
        &fields.unwrap_or_default(),
        &caches_in(Path::new(&caches)),
        hypervisor(),
    )
}

/// By level and type: `(1, "Data")`, with its size in KiB.
type Caches = HashMap<(u32, String), u32>;

fn of(fields: &HashMap<&str, &str>, caches: &Caches, hypervisor: Option<String>) -> Cpu {
    let field = |of_x86: &str, of_arm: &str| {
        let found = fields.get(of_x86).or_else(|| fields.get(of_arm));
        found.map(|value| (*value).to_owned())
    };
    let revision = || {
        Some(format!(
            "{} {}",
            fields.get("CPU variant")?,
            fields.get("CPU revision")?
        ))
    };
    let size = |level, kind: &str| caches.get(&(level, kind.to_owned())).copied();
    Cpu {
        vendor: field("vendor_id", "CPU implementer"),
        family: field("cpu family", "CPU architecture"),
        model: field("model", "CPU part"),
        stepping: field("stepping", "").or_else(revision),
        l1d_kib: size(1, "Data"),
        l2_kib: size(2, "Unified"),
        l3_kib: size(3, "Unified"),
        hypervisor,
    }
}

/// A hypervisor need not show its caches.
fn caches_in(folder: &Path) -> Caches {
    let indexes = fs::read_dir(folder).into_iter().flatten().flatten();
    let cache = indexes.filter_map(|index| {
        let file = |name: &str| read_small_file(index.path().join(name));
        let size = file("size")?.strip_suffix('K')?.parse().ok()?;
        Some(((file("level")?.parse().ok()?, file("type")?), size))
    });
    cache.collect()
}

/// Vendors of virtual machines. Hardware has a vendor as well: only x86-64 says there that it is none, by cpuid.
const VIRTUAL: [&str; 6] = [
    "QEMU",
    "Amazon EC2",
    "Microsoft Corporation",
    "Google",
    "VMware, Inc.",
    "Xen",
];

/// The hypervisor by its own name, where the cpu has an instruction that returns it; or by the name of the machine it makes.
fn hypervisor() -> Option<String> {
    of_cpuid()
        .or_else(|| read_small_file("/sys/hypervisor/type"))
        .or_else(|| {
            let vendor = read_small_file("/sys/class/dmi/id/sys_vendor")?;
            let product = read_small_file("/sys/class/dmi/id/product_name").unwrap_or_default();
            let is_virtual = VIRTUAL.contains(&vendor.as_str());
            is_virtual.then(|| format!("{vendor} {product}").trim_end().to_owned())
        })
}

/// Leaf of cpuid that names the hypervisor, if bit 31 of ecx of leaf 1 says that there is one (Linux: `Documentation/virt/kvm/x86/cpuid.rst`).
#[cfg(target_arch = "x86_64")]
fn of_cpuid() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    if __cpuid(1).ecx >> 31 == 0 {
        return None;
    }
    let found = __cpuid(0x4000_0000);
    let name = [found.ebx, found.ecx, found.edx].map(u32::to_le_bytes).concat();
    let name = String::from_utf8(name).ok()?.trim_matches(['\0', ' ']).to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(not(target_arch = "x86_64"))]
fn of_cpuid() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_is_identified_by_the_fields_of_its_architecture() {
        let caches = Caches::from([
            ((1, "Data".into()), 32),
            ((1, "Instruction".into()), 64),
            ((3, "Unified".into()), 32_768),
        ]);
        let x86 = HashMap::from([
            ("vendor_id", "AuthenticAMD"),
            ("cpu family", "25"),
            ("model", "17"),
            ("model name", "AMD EPYC"),
            ("stepping", "1"),
        ]);
        let identity = of(&x86, &caches, Some("KVMKVMKVM".into())).to_string();
        assert_eq!(
            identity,
            "AuthenticAMD, family 25, model 17, stepping 1, L1d 32 KiB, L3 32768 KiB, under KVMKVMKVM"
        );
        let arm = HashMap::from([
            ("CPU implementer", "0x41"),
            ("CPU architecture", "8"),
            ("CPU variant", "0x3"),
            ("CPU part", "0xd0c"),
            ("CPU revision", "1"),
        ]);
        let identity = of(&arm, &Caches::new(), None).to_string();
        assert_eq!(identity, "0x41, family 8, model 0xd0c, stepping 0x3 1");
    }
}

//! The process and its machine.

use super::{Page, Services};
use crate::service::machine::{self, Process, Processor};

pub(super) fn print(services: &Services, page: &mut Page) {
    let (process, processor) = (Process::now(), Processor::now());
    let name = |what: &str| format!("arangodb_process_statistics_{what}");
    let physical = machine::physical_memory_bytes();
    let share = process.resident_bytes as f64 / physical.max(1) as f64;
    page.gauge(
        &name("minor_page_faults_total"),
        "Page faults that needed no disk.",
        process.minor_page_faults,
    );
    page.counter(
        &name("major_page_faults_total"),
        "Page faults that needed the disk.",
        process.major_page_faults,
    );
    page.gauge(&name("user_time"), "Seconds of CPU in the program.", process.user_seconds);
    page.gauge(&name("system_time"), "Seconds of CPU in the kernel.", process.system_seconds);
    page.gauge(&name("number_of_threads"), "Threads.", process.threads);
    page.gauge(&name("resident_set_size"), "Bytes of memory that are present.", process.resident_bytes);
    page.gauge(&name("resident_set_size_percent"), "Their share of the machine's memory.", share);
    page.gauge(&name("virtual_memory_size"), "Bytes of memory that are mapped.", process.virtual_bytes);
    page.gauge("arangodb_file_descriptors_current", "Open file descriptors.", process.file_descriptors);
    page.gauge("arangodb_file_descriptors_limit", "Most file descriptors.", process.file_descriptors_limit);
    let name = |what: &str| format!("arangodb_server_statistics_{what}");
    page.gauge(&name("physical_memory"), "Bytes of memory of the machine.", physical);
    page.gauge(
        &name("effective_physical_memory"),
        "Bytes of memory that the process may use.",
        machine::available_memory_bytes(),
    );
    page.gauge(&name("cpu_cores"), "Cores of the machine.", machine::all_cores());
    page.gauge(
        &name("effective_cpu_cores"),
        "Cores that the process may use, by its control group too.",
        machine::cores(),
    );
    page.gauge(&name("user_percent"), "Share of the machine's CPU time in programs.", processor.user_percent);
    page.gauge(
        &name("system_percent"),
        "Share of the machine's CPU time in the kernel.",
        processor.system_percent,
    );
    page.gauge(&name("idle_percent"), "Share of the machine's CPU time in nothing.", processor.idle_percent);
    page.gauge(
        &name("iowait_percent"),
        "Share of the machine's CPU time waiting for a disk.",
        processor.wait_percent,
    );
    let uptime = services.started.elapsed().as_secs_f64();
    page.counter(&name("server_uptime_total"), "Seconds since the start.", uptime);
    page.gauge(
        "persea_memory_limit_bytes",
        "Bytes that the whole process is meant to stay within.",
        services.memory_limit_bytes,
    );
}

//! The manifests, the chart and the alerts for several machines.
//!
//! A part is skipped where its program is not installed: `helm`, `kubernetes-validate` or
//! `promtool`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::packages::{has, repository, run};
use crate::support::{PROGRAM, tests_folder};

#[test]
fn the_servers_of_a_cluster_have_options_that_a_server_takes() {
    for (file, servers) in [("container/compose-tikv.yaml", 2), ("kubernetes/persea-tikv.yaml", 1)] {
        let text = fs::read_to_string(repository().join("packages").join(file)).unwrap();
        assert_eq!(server_takes(&text), servers, "{file}");
    }
}

/// Checks that a server takes the options of each server in a file of manifests. Returns the number
/// of servers.
fn server_takes(manifests: &str) -> usize {
    // A server's options begin with the choice of its engine.
    let mut lines = manifests.lines().map(|line| line.trim().trim_start_matches("- "));
    let mut checked = 0;
    while lines.by_ref().any(|line| line == "--server.storage-engine=tikv") {
        let options: Vec<String> = lines
            .by_ref()
            .take_while(|line| line.starts_with("--"))
            .map(|line| line.replace("$(POD_IP)", "10.1.2.3"))
            .collect();
        assert!(
            options.iter().any(|option| option.starts_with("--cluster.my-address=tcp://")),
            "{options:?}"
        );
        let mut command = Command::new(PROGRAM);
        command.args(["server", "--check-configuration", "--server.storage-engine=tikv"]).args(&options);
        run(&mut command);
        checked += 1;
    }
    checked
}

/// The values of the chart that tests render it with.
const CHART_VALUES: &[&[&str]] = &[
    &[],
    &["tls.secretName=tls", "auth.existingSecret=other"],
    &["auth.enabled=false", "persistence.enabled=false"],
    &["ingress.enabled=true", "ingress.tlsSecretName=host", "serviceMonitor.enabled=true"],
    &["backup.enabled=true", "backup.repository=s3://bucket/prefix", "backup.secretName=key"],
    &["tikv.enabled=true", "tikv.pd={pd1:2379,pd2:2379}"],
    &[
        "tikv.enabled=true",
        "tikv.pd={pd:2379}",
        "tikv.secretName=cluster",
        "tikv.replicas=255",
        "tls.secretName=tls",
        "initdb.a\\.js=x",
        "serviceMonitor.enabled=true",
        "alerts.enabled=true",
    ],
];

/// Values that the chart must refuse.
const WRONG_CHART_VALUES: &[&[&str]] = &[
    &["backup.keep=0"],
    &["service.type=None"],
    &["unknown=1"],
    &["backup.enabled=true"],
    // A cluster needs an address, and its data are not in a folder.
    &["tikv.enabled=true"],
    &["tikv.enabled=true", "tikv.pd={pd}"],
    &["tikv.enabled=true", "tikv.pd={pd:2379}", "tikv.replicas=256"],
    &["tikv.enabled=true", "tikv.pd={pd:2379}", "tikv.replicas=0"],
    &["tikv.enabled=true", "tikv.pd={pd:2379}", "tikv.prefix=a/b"],
    &["tikv.enabled=true", "tikv.pd={pd:2379}", "tikv.leaseSeconds=4"],
    &["tikv.enabled=true", "tikv.pd={pd:2379}", "tikv.unknown=1"],
    &[
        "tikv.enabled=true",
        "tikv.pd={pd:2379}",
        "backup.enabled=true",
        "backup.repository=s3://b/p",
        "backup.secretName=key",
    ],
];

/// The oldest and a new version of Kubernetes whose schemas must accept the manifests.
const KUBERNETES_VERSIONS: [&str; 2] = ["1.25", "1.33"];

/// Validates a file of manifests with the schemas of Kubernetes, which refuse unknown attributes.
/// `kubernetes-validate` is a package of PyPI that has them.
fn validate(manifests: &Path) {
    for version in KUBERNETES_VERSIONS {
        let mut command = Command::new("kubernetes-validate");
        run(command.args(["--strict", "--kubernetes-version", version]).arg(manifests));
    }
}

#[test]
fn the_manifests_are_accepted_by_the_schemas_of_kubernetes() {
    if !has("kubernetes-validate") {
        return;
    }
    let folder = repository().join("packages/kubernetes");
    for manifest in ["persea.yaml", "persea-tikv.yaml"] {
        validate(&folder.join(manifest));
    }
}

#[test]
fn the_alerts_are_well_formed_and_fire_when_they_should() {
    if !has("promtool") {
        return;
    }
    run(Command::new("promtool")
        .args(["check", "rules"])
        .arg(repository().join("packages/prometheus/alerts.yaml")));
    run(Command::new("promtool").args(["test", "rules"]).arg(tests_folder().join("packages/alerts.yaml")));
}

#[test]
fn the_chart_is_well_formed() {
    let chart = repository().join("packages/helm/persea");
    let version = env!("CARGO_PKG_VERSION");
    let about = fs::read_to_string(chart.join("Chart.yaml")).unwrap();
    for field in ["version", "appVersion"] {
        assert!(about.contains(&format!("\n{field}: {version}\n")), "{about}");
    }
    every_value_is_used(&chart);
    if !has("helm") {
        return;
    }
    run(Command::new("helm").args(["lint", "--strict"]).arg(&chart));
    let validates = has("kubernetes-validate");
    let folder = tempfile::tempdir().unwrap();
    for values in CHART_VALUES {
        let mut command = Command::new("helm");
        command.args(["template", "shop"]).arg(&chart).args(["--kube-version", "1.30.0"]);
        for value in *values {
            command.args(["--set", value]);
        }
        let rendered = run(&mut command);
        assert!(!rendered.contains("<no value>"), "{rendered}");
        let has_cluster = values.contains(&"tikv.enabled=true");
        assert_eq!(rendered.contains("kind: StatefulSet"), !has_cluster);
        assert_eq!(rendered.contains("kind: Deployment"), has_cluster);
        assert_eq!(rendered.contains("kind: PodDisruptionBudget"), has_cluster);
        assert_eq!(rendered.contains("alert: PerseaStoreFull"), values.contains(&"alerts.enabled=true"));
        if has_cluster {
            server_takes(&rendered);
        }
        if validates {
            let path = folder.path().join("rendered.yaml");
            fs::write(&path, &rendered).unwrap();
            validate(&path);
        }
        assert_eq!(rendered.contains("kind: CronJob"), values.contains(&"backup.enabled=true"));
        assert_eq!(rendered.contains("kind: Ingress"), values.contains(&"ingress.enabled=true"));
        assert_eq!(rendered.contains("root-password"), !values.contains(&"auth.enabled=false"));
    }
    for wrong in WRONG_CHART_VALUES {
        let mut command = Command::new("helm");
        command.args(["template", "shop"]).arg(&chart).args(["--kube-version", "1.30.0"]);
        for value in *wrong {
            command.args(["--set", value]);
        }
        assert!(!command.output().unwrap().status.success(), "{wrong:?}");
    }
}

/// Compares the values that the templates use with those of `values.yaml` and of its schema.
fn every_value_is_used(chart: &Path) {
    let mut templates = String::new();
    for folder in ["templates", "templates/tests"] {
        for entry in fs::read_dir(chart.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                templates.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || character == '.';
    let used = templates.split(".Values.").skip(1);
    let used: BTreeSet<String> =
        used.map(|rest| rest.chars().take_while(|character| is_of_name(*character)).collect()).collect();
    let schema = fs::read_to_string(chart.join("values.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let mut known = BTreeSet::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        match property["properties"].as_object() {
            Some(inner) => known.extend(inner.keys().map(|inner| format!("{name}.{inner}"))),
            None => drop(known.insert(name.clone())),
        }
    }
    // Helm adds this one to every chart.
    known.remove("global");
    assert_eq!(used, known);
    let values = fs::read_to_string(chart.join("values.yaml")).unwrap();
    for name in &known {
        let key = name.rsplit('.').next().unwrap();
        assert!(values.lines().any(|line| line.trim_start().starts_with(&format!("{key}:"))), "{name}");
    }
}

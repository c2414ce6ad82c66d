use super::*;

#[test]
fn probe_rates() {
    for pairs in [3, 0] {
        for own in [0.01, 0.03] {
            let rates = bridge_rates(
                Bridge {
                    pairs,
                    own,
                    ..Bridge::quiet()
                },
                40,
                &[0.05, 0.10],
            );
            println!("{rates:?}");
        }
    }
}

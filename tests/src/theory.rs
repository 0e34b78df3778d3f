//! Closed forms of queueing theory, and the interval that a simulation of them must hit.
//!
//! Times in seconds, rates per second. The formulas and their sources stand in the headers of the programs under
//! `examples/single-turn/`, which the tests hold against these functions.

/// Student's t at 99.5 % and 29 degrees of freedom: a two-sided 99 % interval of 30 replications.
const T_29: f64 = 2.756;

/// Mean response of an M/M/1, which is also that of an M/G/1 under processor sharing.
pub fn mm1_response(lambda: f64, service: f64) -> f64 {
    service / (1.0 - lambda * service)
}

/// Mean wait of an M/G/1 in arrival order (Pollaczek-Khinchine); `cv2` is the squared coefficient of variation.
pub fn mg1_wait(lambda: f64, service: f64, cv2: f64) -> f64 {
    lambda * (1.0 + cv2) * service * service / (2.0 * (1.0 - lambda * service))
}

/// Mean wait of an M/M/c (Erlang C).
pub fn mmc_wait(lambda: f64, service: f64, servers: u32) -> f64 {
    let (offered, c) = (lambda * service, f64::from(servers));
    // a^k / k!, from k = 0 on.
    let mut term = 1.0;
    let mut fewer = 0.0;
    for k in 1..=servers {
        fewer += term;
        term *= offered / f64::from(k);
    }
    let all_busy = term * c / (c - offered);
    all_busy / (fewer + all_busy) * service / (c - offered)
}

/// What mean value analysis says of a closed model of one queue and one delay.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// Requests per second.
    pub throughput: f64,
    /// Mean time at the queue.
    pub response: f64,
    /// Mean number at the queue.
    pub present: f64,
}

/// M/M/1//N by mean value analysis.
pub fn closed(users: u32, service: f64, think: f64) -> Closed {
    let mut at = Closed { throughput: 0.0, response: 0.0, present: 0.0 };
    for n in 1..=users {
        at.response = service * (1.0 + at.present);
        at.throughput = f64::from(n) / (at.response + think);
        at.present = at.throughput * at.response;
    }
    at
}

/// Mean of replications and half the width of its 99 % interval.
///
/// # Panics
/// Unless there are 30 of them.
pub fn interval(replications: &[f64]) -> (f64, f64) {
    assert_eq!(replications.len(), 30, "the interval is that of 30 replications");
    let n = replications.len() as f64;
    let mean = replications.iter().sum::<f64>() / n;
    let variance = replications.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, T_29 * (variance / n).sqrt())
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_agree_where_they_meet() {
        let (lambda, service) = (0.8, 1.0);
        let wait = mm1_response(lambda, service) - service;
        assert!((mg1_wait(lambda, service, 1.0) - wait).abs() < 1e-12);
        assert!((mmc_wait(lambda, service, 1) - wait).abs() < 1e-12);
        assert!((mmc_wait(2.4, 1.0, 3) - 1.078_651_685_393).abs() < 1e-9);
    }

    #[test]
    fn a_closed_model_fills_its_server() {
        let many = closed(200, 1.0, 8.0);
        assert!((many.throughput - 1.0).abs() < 1e-6);
        assert!((closed(1, 1.0, 8.0).throughput - 1.0 / 9.0).abs() < 1e-12);
    }
}

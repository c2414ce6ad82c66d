//! Whether a request is made again, and when: a pure function of what came back.
//!
//! The rules are GitHub's own ("Rate limits for the REST API", "Best practices for using the REST API"): `Retry-After` if it
//! is there; the time in `X-RateLimit-Reset` if nothing remains; a minute otherwise.

use std::time::Duration;

use jiff::Timestamp;

/// How patient a client is.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Longest time until a connection stands.
    pub connect: Duration,
    /// Longest time for one request, all of it.
    pub whole: Duration,
    /// Most attempts for one request.
    pub attempts: u32,
    /// Pause before the second attempt where GitHub names none; it doubles from attempt to attempt.
    pub pause: Duration,
    /// Pause where a limit is reached and GitHub names no time.
    pub limited: Duration,
    /// Longest pause. Where GitHub wants a longer one, the request has failed.
    pub longest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            whole: Duration::from_mins(1),
            attempts: 4,
            pause: Duration::from_secs(1),
            limited: Duration::from_mins(1),
            longest: Duration::from_secs(90),
        }
    }
}

/// What came back, as far as it says whether to wait.
#[derive(Debug, Clone, Default)]
pub struct Signs {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After` in seconds.
    pub retry_after: Option<u64>,
    /// `X-RateLimit-Remaining`.
    pub remaining: Option<u64>,
    /// `X-RateLimit-Reset`, seconds since 1970.
    pub reset: Option<i64>,
    /// Whether the message speaks of a rate limit.
    pub says_limit: bool,
}

impl Signs {
    /// Whether a limit of requests is reached: the request was refused, and nothing happened.
    pub fn is_limit(&self) -> bool {
        self.status == 429
            || (self.status == 403 && (self.retry_after.is_some() || self.remaining == Some(0) || self.says_limit))
    }

    /// Pause before the next attempt, after `attempt` of them; `None` if another one helps nobody.
    ///
    /// `repeatable` is whether the request may be made twice although it may have been fulfilled.
    pub fn pause(&self, attempt: u32, repeatable: bool, now: Timestamp, patience: &Patience) -> Option<Duration> {
        let named = self.retry_after.map(Duration::from_secs);
        let wanted = if self.is_limit() {
            let reset = self.reset.filter(|_| self.remaining == Some(0));
            let until = reset.map(|reset| u64::try_from(reset.saturating_sub(now.as_second())).unwrap_or(0));
            named
                .or(until.map(|seconds| Duration::from_secs(seconds.saturating_add(1))))
                .unwrap_or(patience.limited)
        } else if self.status >= 500 && repeatable {
            named.unwrap_or_else(|| patience.doubled(attempt))
        } else {
            return None;
        };
        (attempt < patience.attempts && wanted <= patience.longest).then_some(wanted)
    }
}

impl Patience {
    /// Pause after `attempt` attempts where nobody names one.
    pub fn doubled(&self, attempt: u32) -> Duration {
        self.pause.saturating_mul(1 << attempt.saturating_sub(1).min(10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(signs: &Signs, attempt: u32, repeatable: bool) -> Option<u64> {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let pause = signs.pause(attempt, repeatable, now, &Patience::default());
        pause.map(|pause| pause.as_secs())
    }

    fn status(status: u16) -> Signs {
        Signs {
            status,
            ..Signs::default()
        }
    }

    #[test]
    fn a_fault_of_the_server_is_tried_again_if_it_may_be_done_twice() {
        let told: Vec<_> = (1..=4).map(|attempt| pause(&status(502), attempt, true)).collect();
        assert_eq!(told, [Some(1), Some(2), Some(4), None]);
        assert_eq!(pause(&status(502), 1, false), None);
        for refused in [400, 401, 403, 404, 422] {
            assert_eq!(pause(&status(refused), 1, true), None, "{refused}");
        }
    }

    #[test]
    fn a_limit_is_waited_for_as_github_wants_and_no_longer_than_one_can() {
        let named = |seconds| Signs {
            retry_after: Some(seconds),
            ..status(403)
        };
        assert_eq!(pause(&named(7), 1, false), Some(7));
        assert_eq!(pause(&named(600), 1, false), None);
        let reset = |seconds| Signs {
            remaining: Some(0),
            reset: Some(seconds),
            ..status(403)
        };
        assert_eq!(pause(&reset(1_000_030), 1, false), Some(31));
        assert_eq!(pause(&reset(1), 1, false), Some(1));
        assert_eq!(pause(&reset(i64::MAX), 1, false), None);
        let says = Signs {
            says_limit: true,
            ..status(403)
        };
        assert_eq!(pause(&says, 1, false), Some(60));
        assert_eq!(pause(&status(429), 4, true), None);
    }
}

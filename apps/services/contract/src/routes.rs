//! The routes that a server registers beside its endpoints.

/// A route with a number, of which every third ends in a parameter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Route {
    /// Its number, from 0. A route without a parameter answers with it.
    pub number: u32,
}

/// Routes that share the first part of their path.
const IN_AN_AREA: u32 = 10;

impl Route {
    /// Whether its path ends in a parameter. Such a route answers with what stands there.
    #[must_use]
    pub fn has_parameter(self) -> bool {
        self.number % 3 == 2
    }

    /// Its path, such as `/area1/thing14/{id}`, with `parameter` as the framework writes one.
    #[must_use]
    pub fn path(self, parameter: &str) -> String {
        let number = self.number;
        let mut path = format!("/area{}/thing{number}", number / IN_AN_AREA);
        if self.has_parameter() {
            path.push('/');
            path.push_str(parameter);
        }
        path
    }
}

/// The routes of a server that is told to register `count`.
pub fn routes(count: u32) -> impl Iterator<Item = Route> {
    (0..count).map(|number| Route { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_third_route_has_a_parameter() {
        let paths: Vec<String> = routes(15).map(|route| route.path("{id}")).collect();
        assert_eq!(paths[..3], ["/area0/thing0", "/area0/thing1", "/area0/thing2/{id}"]);
        assert_eq!(paths[14], "/area1/thing14/{id}");
        assert_eq!(routes(1000).filter(|route| route.has_parameter()).count(), 333);
    }
}

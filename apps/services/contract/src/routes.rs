//! The routes that a server registers besides its endpoints.

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
        let area = Area(self.number / IN_AN_AREA);
        area.path() + &self.path_in_area(parameter)
    }

    /// What of its path follows the area's, such as `/thing14/{id}`: for routers that group routes by a common prefix.
    #[must_use]
    pub fn path_in_area(self, parameter: &str) -> String {
        let mut path = format!("/thing{}", self.number);
        if self.has_parameter() {
            path.push('/');
            path.push_str(parameter);
        }
        path
    }
}

/// Ten routes, or fewer in the last one, whose paths begin alike.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Area(u32);

impl Area {
    /// What its routes' paths begin with, such as `/area1`.
    #[must_use]
    pub fn path(self) -> String {
        format!("/area{}", self.0)
    }
}

/// The routes of a server that registers `count`, by area.
pub fn areas(count: u32) -> impl Iterator<Item = (Area, impl Iterator<Item = Route>)> {
    (0..count.div_ceil(IN_AN_AREA)).map(move |area| {
        let numbers = area * IN_AN_AREA..count.min((area + 1) * IN_AN_AREA);
        (Area(area), numbers.map(|number| Route { number }))
    })
}

/// The routes of a server that registers `count`.
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

    #[test]
    fn areas_have_all_routes_in_their_order() {
        for count in [1, 10, 15, 1000] {
            let grouped = areas(count)
                .flat_map(|(area, routes)| routes.map(move |route| area.path() + &route.path_in_area("{id}")));
            assert!(grouped.eq(routes(count).map(|route| route.path("{id}"))), "{count}");
        }
    }
}

//! What the fake answers.

use serde_json::{Value, json};

use super::State;
use super::http::{Answer, Request};

/// Entries of a page if the request names no number.
const PER_PAGE: usize = 30;

/// Answers, and changes the state.
pub fn answer(state: &mut State, request: &Request) -> Answer {
    let parts: Vec<&str> = request.path.split('/').skip(1).collect();
    if let ["_state"] = parts.as_slice() {
        return ours(state, request);
    }
    let allowed = |given: &String| {
        let given = given.strip_prefix("Bearer ").or(given.strip_prefix("token "));
        state.token.is_empty() || given == Some(state.token.as_str())
    };
    if !request.headers.get("authorization").is_some_and(allowed) {
        return Answer::error(401, "Bad credentials");
    }
    if !request.headers.contains_key("user-agent") {
        return Answer::error(
            403,
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header",
        );
    }
    match parts.as_slice() {
        ["graphql"] => graphql(state, request),
        ["repos", owner, name, rest @ ..] => {
            let repository = format!("{owner}/{name}");
            if !state.repository.is_empty() && !state.repository.eq_ignore_ascii_case(&repository) {
                return Answer::error(404, "Not Found");
            }
            repository_route(state, request, &repository, rest)
        }
        _ => Answer::error(404, "Not Found"),
    }
}

/// `GET` shows the state, `PUT` replaces it.
fn ours(state: &mut State, request: &Request) -> Answer {
    if request.method == "PUT" {
        match serde_json::from_value(request.body.clone()) {
            Ok(new) => *state = new,
            Err(error) => return Answer::error(400, &error.to_string()),
        }
    }
    Answer::json(200, &json!(state))
}

fn repository_route(state: &mut State, request: &Request, repository: &str, rest: &[&str]) -> Answer {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    match (request.method.as_str(), rest) {
        ("GET", []) => Answer::json(
            200,
            &json!({
                "name": repository.split('/').next_back(),
                "full_name": repository,
                "default_branch": "main",
                "fork": false,
            }),
        ),
        // github-action-benchmark asks of which commit a figure is.
        ("GET", ["commits", sha]) => {
            let person = json!({ "name": "Somebody", "email": "somebody@example.com", "date": "2026-11-21T00:00:00Z" });
            Answer::json(
                200,
                &json!({
                    "sha": sha,
                    "html_url": format!("https://github.com/{repository}/commit/{sha}"),
                    "commit": { "author": person, "committer": person, "message": "A commit" },
                    "author": { "login": "somebody" },
                    "committer": { "login": "somebody" },
                }),
            )
        }
        ("GET", ["pulls"]) => {
            let wanted = |pull: &&Value| {
                let is = |name: &str, field: &Value| request.query.get(name).is_none_or(|wanted| field == wanted);
                is_state(request, pull) && is("head", &pull["head"]["label"]) && is("base", &pull["base"]["ref"])
            };
            paged(request, state.pulls.iter().filter(wanted))
        }
        ("POST", ["pulls"]) => open_pull(state, request, repository),
        ("GET", ["pulls", pull]) => one(find(&mut state.pulls, "number", number(pull))),
        ("PATCH", ["pulls", pull]) => change(find(&mut state.pulls, "number", number(pull)), request),
        ("POST", ["pulls", pull, "requested_reviewers"]) => {
            let reviewers = request.body["reviewers"].clone();
            created(
                find(&mut state.pulls, "number", number(pull)),
                "requested_reviewers",
                &reviewers,
            )
        }
        ("GET", ["issues"]) => paged(request, state.issues.iter().filter(|issue| is_state(request, issue))),
        ("POST", ["issues"]) => open_issue(state, request),
        ("GET", ["issues", "comments", id]) => one(find(&mut state.comments, "id", number(id))),
        ("PATCH", ["issues", "comments", id]) => change(find(&mut state.comments, "id", number(id)), request),
        ("GET", ["issues", issue]) => one(find_issue(state, number(issue))),
        ("PATCH", ["issues", issue]) => change(find_issue(state, number(issue)), request),
        ("GET", ["issues", issue, "comments"]) => {
            let issue = number(issue);
            if find_issue(state, issue).is_none() {
                return Answer::error(404, "Not Found");
            }
            paged(
                request,
                state.comments.iter().filter(|comment| comment["issue"] == issue),
            )
        }
        ("POST", ["issues", issue, "comments"]) => {
            let issue = number(issue);
            if find_issue(state, issue).is_none() {
                return Answer::error(404, "Not Found");
            }
            let body = request.body["body"].as_str().unwrap_or_default();
            let comment = comment(state, issue, body);
            Answer::json(201, &comment)
        }
        ("POST", ["issues", issue, list @ ("labels" | "assignees")]) => {
            let added = request.body[*list].clone();
            created(find_issue(state, number(issue)), list, &added)
        }
        _ => Answer::error(404, "Not Found"),
    }
}

/// A new comment of the state's own account.
pub fn comment(state: &mut State, issue: u64, body: &str) -> Value {
    state.last += 1;
    let comment = json!({ "id": state.last, "issue": issue, "body": body, "user": { "login": state.login } });
    state.comments.push(comment.clone());
    comment
}

fn open_pull(state: &mut State, request: &Request, repository: &str) -> Answer {
    let owner = repository.split('/').next().unwrap_or_default();
    let text = |field: &str| request.body[field].as_str().unwrap_or_default().to_owned();
    let (head, base) = (text("head"), text("base"));
    let label = if head.contains(':') {
        head
    } else {
        format!("{owner}:{head}")
    };
    let is_there =
        |pull: &Value| pull["state"] == "open" && pull["head"]["label"] == label && pull["base"]["ref"] == base;
    if state.pulls.iter().any(is_there) {
        let message = format!("A pull request already exists for {label}.");
        let errors = json!([{ "resource": "PullRequest", "code": "custom", "message": message }]);
        return Answer::json(
            422,
            &json!({ "message": "Validation Failed", "errors": errors, "status": "422" }),
        );
    }
    state.last += 1;
    let branch = label.split(':').next_back().unwrap_or_default();
    let pull = json!({
        "number": state.last,
        "node_id": format!("PR_{}", state.last),
        "html_url": format!("https://github.com/{repository}/pull/{}", state.last),
        "state": "open",
        "draft": request.body["draft"],
        "title": text("title"),
        "body": text("body"),
        "user": { "login": state.login },
        "head": { "label": label, "ref": branch, "sha": "", "repo": { "full_name": repository } },
        "base": { "ref": base, "repo": { "full_name": repository } },
        "labels": [],
        "assignees": [],
    });
    state.pulls.push(pull.clone());
    Answer::json(201, &pull)
}

fn open_issue(state: &mut State, request: &Request) -> Answer {
    state.last += 1;
    let labels: Vec<Value> = request.body["labels"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| json!({ "name": name }))
        .collect();
    let issue = json!({
        "number": state.last,
        "state": "open",
        "title": request.body["title"],
        "body": request.body["body"],
        "labels": labels,
        "user": { "login": state.login },
    });
    state.issues.push(issue.clone());
    Answer::json(201, &issue)
}

/// The only mutation that create-pull-request makes: an updated pull request becomes a draft again.
fn graphql(state: &mut State, request: &Request) -> Answer {
    let id = &request.body["variables"]["pullRequestId"];
    if let Some(pull) = state.pulls.iter_mut().find(|pull| pull["node_id"] == *id) {
        pull["draft"] = true.into();
    }
    Answer::json(
        200,
        &json!({ "data": { "convertPullRequestToDraft": { "pullRequest": { "isDraft": true } } } }),
    )
}

fn find<'a>(list: &'a mut [Value], field: &str, wanted: u64) -> Option<&'a mut Value> {
    list.iter_mut().find(|entry| entry[field] == wanted)
}

/// A pull request is an issue, too.
fn find_issue(state: &mut State, number: u64) -> Option<&mut Value> {
    find(&mut state.issues, "number", number).or(find(&mut state.pulls, "number", number))
}

fn one(found: Option<&mut Value>) -> Answer {
    found.map_or_else(|| Answer::error(404, "Not Found"), |found| Answer::json(200, found))
}

/// What the request's body says, in place of what was there.
fn change(found: Option<&mut Value>, request: &Request) -> Answer {
    let Some(found) = found else {
        return Answer::error(404, "Not Found");
    };
    for (field, value) in request.body.as_object().into_iter().flatten() {
        found[field] = value.clone();
    }
    Answer::json(200, found)
}

/// What was added to a list of an entry.
fn created(found: Option<&mut Value>, list: &str, added: &Value) -> Answer {
    let Some(found) = found else {
        return Answer::error(404, "Not Found");
    };
    let mut all = found[list].as_array().cloned().unwrap_or_default();
    all.extend(added.as_array().cloned().unwrap_or_default());
    found[list] = all.into();
    Answer::json(201, &found[list])
}

fn is_state(request: &Request, entry: &Value) -> bool {
    match request.query.get("state").map_or("open", String::as_str) {
        "all" => true,
        state => entry["state"] == state,
    }
}

/// One page, with a `Link` to the next if there is one.
fn paged<'a>(request: &Request, entries: impl Iterator<Item = &'a Value>) -> Answer {
    let number = |name: &str| request.query.get(name).and_then(|number| number.parse::<usize>().ok());
    let (size, page) = (
        number("per_page").unwrap_or(PER_PAGE).clamp(1, 100),
        number("page").unwrap_or(1).max(1),
    );
    let mut rest = entries.skip(size * (page - 1));
    let entries: Vec<&Value> = rest.by_ref().take(size).collect();
    let answer = Answer::json(200, &json!(entries));
    if rest.next().is_none() {
        return answer;
    }
    // Another host: a client that follows this link shows its token to strangers.
    let next = format!(
        "<https://example.org{}?per_page={size}&page={}>; rel=\"next\"",
        request.path,
        page + 1
    );
    answer.with("link", &next)
}

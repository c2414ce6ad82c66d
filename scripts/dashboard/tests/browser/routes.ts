// The views of the synthetic history that the tests visit.
export const NEWEST = '20261116T041700Z-3bc';
const PARTIAL = '20261113T041700Z-f3c';
export const BEFORE = '20261109T041700Z-93c';

type Route = [name: string, route: string];

/** Every view, and every kind of page that it has. */
export const PAGES: Route[] = [
  ['now', 'now?lane=hosted-x64'],
  ['now-latency', 'now?lane=hosted-arm64&scenario=hello-r1000'],
  ['now-percentiles', 'now?lane=hosted-x64&scenario=hello-r10000&curves=reference,ohkami,axum,tide,astra'],
  ['now-database', 'now?lane=hosted-x64:database&scenario=db'],
  ['overview', 'overview?lane=hosted-x64'],
  ['news', 'news?lane=hosted-x64'],
  ['trends', 'trends?lane=hosted-x64'],
  ['trends-all', 'trends?lane=self-hosted&scenario=hello&apps=all&range=all&mode=absolute'],
  ['compare', 'compare?lane=hosted-x64&left=axum&right=rocket'],
  ['compare-runs', `compare?lane=hosted-x64&of=runs&a=${BEFORE}&b=${NEWEST}`],
  ['frameworks', 'framework?lane=hosted-x64'],
  ['framework', 'framework/axum?lane=hosted-x64'],
  ['variants', 'ratios/variants?lane=hosted-x64'],
  ['protocols', 'ratios/protocols?lane=hosted-x64'],
  ['scaling', 'ratios/scaling?lane=self-hosted'],
  ['breaks', 'breaks?lane=hosted-x64'],
  ['breaks-framework', 'breaks/ohkami?lane=hosted-x64'],
  ['breaks-case', 'breaks/ohkami?lane=hosted-x64&case=pipelined-three'],
  ['breaks-case-of-all', 'breaks?lane=hosted-x64&case=host-missing'],
  ['runs', 'run?lane=hosted-x64'],
  ['run', `run/${NEWEST}?lane=hosted-x64`],
  ['method', 'method?lane=hosted-x64'],
];

/** These, and what else a reader may choose in them. */
export const ROUTES: Route[] = [
  ...PAGES,
  ['now-goodput', 'now?lane=hosted-x64&scenario=hello&metric=goodput_rps&variant=all'],
  ['now-instructions', 'now?lane=hosted-x64&metric=instructions_per_request'],
  ['now-p99', 'now?lane=hosted-x64&scenario=hello-r10000&metric=latency_p99_ms'],
  ['now-services', 'now?lane=hosted-x64:services&scenario=routes-1000'],
  ['now-drivers', 'now?lane=hosted-x64:drivers&scenario=db'],
  ['overview-weighted', 'overview?lane=hosted-x64:database&weights=plaintext:0,db:4'],
  ['compare-drivers', 'compare?lane=hosted-x64:drivers&left=axum-sqlx&right=axum-tokio-postgres'],
  ['framework-untrusted', 'framework/tide?lane=hosted-x64'],
  ['variants-control', 'ratios/variants?lane=hosted-x64:variants&against=serde-json&metric=rss_peak_bytes'],
  ['run-partial', `run/${PARTIAL}?lane=hosted-x64`],
];

/** The warnings of a run's machine, or that it is partial. */
export const NOTICES: Record<string, number> = { run: 1, 'run-partial': 2 };

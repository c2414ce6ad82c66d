// Where the page begins: it asks for all that the address takes at once, and starts when the frame is there.
import './style/tokens.css';
import './style/base.css';
import './style/controls.css';
import './style/tables.css';
import './style/now.css';
import './style/differences.css';
import './style/trends.css';
import './style/pages.css';
import './style/breaks.css';
import './style/overview.css';
import './style/percentiles.css';
import './style/ratios.css';
import './style/narrow.css';
import './style/print.css';
import { parseRoute } from './app/route';
import { loadView } from './app/views';
import { early } from './early';

const base = new URL('.', document.baseURI);
void early(base);
// Should it fail, the router says so.
void loadView(parseRoute(location.hash).view).catch(() => null);
// Without an `await` at the top: a module that others wait for could not share its code with theirs.
void import('./app/start').then(({ start }) => start(base));

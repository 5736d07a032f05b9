import type { HttpBench } from '../lib/http.ts';

/** A signed-in user's requests to pages. */
export interface Reader {
  /** Returns the page's text. Throws unless it answers 200 and contains `expected`. */
  get(path: string, expected: string): Promise<string>;
  /** Submits a form as the page does. Returns the address to which it redirects; throws if it does not. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<string>;
  /** Submits a form that is answered with text. Throws unless it answers 200 and contains `expected`. */
  postFor(path: string, fields: Readonly<Record<string, string>>, expected: string): Promise<string>;
}

/** Returns the requests of a session. */
export async function readerOf(http: HttpBench, cookie: string): Promise<Reader> {
  const get = async (path: string, expected: string): Promise<string> => {
    const answer = await fetch(http.origin + path, { headers: { Cookie: cookie, Accept: 'text/html' } });
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes(expected))
      throw new Error(`${path} answered ${answer.status} without "${expected}": ${text.slice(0, 2000)}`);
    return text;
  };
  const csrf = /name="_csrf" value="([^"]+)"/.exec(await get('/account', '_csrf'))?.[1] ?? '';
  const send = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(http.origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ _csrf: csrf, ...fields }).toString(),
    });
  return {
    get,
    async postFor(path, fields, expected) {
      const answer = await send(path, fields);
      const text = await answer.text();
      if (answer.status !== 200 || !text.includes(expected))
        throw new Error(`${path} answered ${answer.status} without "${expected}": ${text.slice(0, 2000)}`);
      return text;
    },
    async post(path, fields) {
      const answer = await send(path, fields);
      const text = await answer.text();
      const to = answer.headers.get('location');
      if (to === null) throw new Error(`${path} answered ${answer.status} without a redirect: ${text.slice(0, 2000)}`);
      return to;
    },
  };
}

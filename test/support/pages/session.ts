import type { TestPlatform } from '../platform.ts';

/** A response to a browser. */
export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The address to which it redirects. */
  readonly location: string | null;
}

/** A browser without a screen: it holds the session's cookie and follows no redirects. */
export interface TestSession {
  readonly cookie: string;
  /** Returns the CSRF token of the session's pages. */
  csrf(): Promise<string>;
  get(path: string, headers?: Record<string, string>): Promise<BrowserAnswer>;
  /** Posts a form as a page of the session does, except for what `headers` and `fields` override. */
  post(path: string, fields?: FormFields, headers?: Record<string, string>): Promise<BrowserAnswer>;
}

/** The fields of a form by name; one that is sent several times has a list. */
type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** Sends one request as a browser does, without following redirects. */
export async function browse(url: string, path: string, init: RequestInit = {}): Promise<BrowserAnswer> {
  const response = await fetch(url + path, {
    redirect: 'manual',
    ...init,
    headers: {
      Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      ...(init.headers as Record<string, string> | undefined),
    },
  });
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    location: response.headers.get('location'),
  };
}

/** Returns the request of a form with some fields. */
export function formBody(fields: FormFields): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(
      Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, each])),
    ).toString(),
  };
}

/** Signs in at the sign-in page. Returns its response. */
export function signIn(
  url: string,
  name: string,
  password: string,
  more: { readonly fields?: Record<string, string>; readonly headers?: Record<string, string> } = {},
): Promise<BrowserAnswer> {
  const form = formBody({ Name: name, Password: password, ...more.fields });
  return browse(url, '/signin', { ...form, headers: { ...(form.headers as Record<string, string>), ...more.headers } });
}

/** Returns the cookie that a response set, as a browser sends it back. */
export function cookieOf(answer: BrowserAnswer): string {
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Returns a session of a user that `platform.user` or `platform.firm` created. */
export async function testSession(
  platform: TestPlatform,
  name: string,
  password = `password of ${name}`,
): Promise<TestSession> {
  const cookie = cookieOf(await signIn(platform.url, name, password));
  if (cookie === '') throw new Error(`${name} could not sign in`);
  return sessionOf(platform.url, cookie);
}

/** Returns the session of a cookie, whether or not it is still open. */
export function sessionOf(url: string, cookie: string): TestSession {
  const get: TestSession['get'] = (path, headers = {}) =>
    browse(url, path, { headers: { Cookie: cookie, ...headers } });
  let known = '';
  /** The token is the same on all pages of a session. */
  const csrf = async (): Promise<string> =>
    (known ||= /name="_csrf" value="([^"]+)"/.exec((await get('/account')).text)?.[1] ?? '');
  return {
    cookie,
    csrf,
    get,
    async post(path, fields = {}, headers = {}) {
      const form = formBody({ _csrf: await csrf(), ...fields });
      return browse(url, path, {
        ...form,
        headers: { ...(form.headers as Record<string, string>), Cookie: cookie, ...headers },
      });
    },
  };
}

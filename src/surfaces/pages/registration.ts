import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromDatabaseError } from '../../kernel/database/database-error.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { invoke, type CallOutcome } from '../../kernel/door/invoke.ts';
import { parameter, type Parameters } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { parseRoute } from '../../kernel/door/route.ts';
import type { SettingDefinition } from '../../kernel/declare/setting.ts';
import { errorNote } from './error.ts';
import { layout } from './layout.ts';
import { readForm, sendPage, type Page } from './page.ts';

/** Anybody may send one. */
const FORM_BYTES_MAX = 16 * 1024;

/** Whether anybody may register; the pages offer it only then. */
export function isRegistrationOpen({ registry, settings }: Pick<Platform, 'registry' | 'settings'>): boolean {
  const setting = registry.settings.find(({ name }) => name === 'RegistrationEnabled') as
    SettingDefinition<boolean> | undefined;
  return setting !== undefined && settings.get(setting);
}

/** The page that a mailed link leads to: it only asks, since programs that look through mail follow links too. */
export const confirmPage: Page = (_platform, _request, reply) => {
  sendPage(
    reply,
    layout({
      title: 'Confirm your registration',
      body: html`<h1>Confirm your registration</h1>
<p>You registered with your mail address, or somebody else did. Confirm only if it was you.</p>
<form class="stacked" method="post">
<p><button autofocus>Confirm</button></p>
</form>`,
    }),
    200,
  );
  return Promise.resolve();
};

/** Confirms by the token in the address. */
export const confirmRegistration: Page = (platform, request, reply) =>
  respond(platform, request, reply, async () => {
    await readForm(request, FORM_BYTES_MAX);
    const { token = '' } = request.params as Readonly<Record<string, string>>;
    await callOrganization(platform, request, 'confirm', { Token: token }).catch((error: unknown) => {
      // Who follows a link sees no parameters.
      throw error instanceof PlatformError && error.field === 'Token'
        ? new PlatformError(error.code, { message: error.message })
        : error;
    });
    return {
      title: 'Confirmed',
      body: html`<h1>Confirmed</h1>
<p>Your account works now. Sign in with your mail address and the password that you chose.</p>
<p><a class="button" href="/signin">Sign in</a></p>`,
    };
  });

/** The page on which anybody registers, where that is allowed. */
export const registerPage: Page = (platform, request, reply) =>
  respond(platform, request, reply, () => {
    if (!isRegistrationOpen(platform))
      throw new PlatformError('NO_PERMISSION', {
        message: 'Registration is switched off. Ask an administrator for an account.',
      });
    return Promise.resolve({ title: 'Register', body: registerBody({}) });
  });

/** Registers an organization, or a user on the one whose code was typed. */
export const register: Page = async (platform, request, reply) => {
  let form: Parameters = {};
  await respond(
    platform,
    request,
    reply,
    async () => {
      form = await readForm(request, FORM_BYTES_MAX);
      const typed = (name: string): string => textOf(form, name).trim();
      const registrant = {
        FirstName: typed('FirstName'),
        LastName: typed('LastName'),
        Email: typed('Email'),
        Password: textOf(form, 'Password'),
      };
      // The form asks for one of two, which no single field of the operations says.
      if (typed('Lookup') === '' && typed('Organization') === '')
        throw new PlatformError('MISSING_PARAMETER', {
          message: "Type your organization's name where it is new here, or the code that your organization gave you.",
        });
      if (typed('Lookup') === '')
        await callOrganization(platform, request, 'register', { ...registrant, Organization: typed('Organization') });
      else await callOrganization(platform, request, 'registeruser', { ...registrant, Lookup: typed('Lookup') });
      return {
        title: 'Look into your mail',
        body: html`<h1>Look into your mail</h1>
<p>A mail is on its way to <strong>${typed('Email')}</strong>. Follow the link in it to confirm; until then nobody can sign in.</p>
<p class="quiet">No mail after some minutes? Look among the unwanted ones, look at the address and the code once more, and <a href="/register">register again</a>.</p>`,
      };
    },
    (error) => (error.code === 'NO_PERMISSION' ? undefined : { title: 'Register', body: registerBody(form, error) }),
  );
};

interface PublicPage {
  readonly title: string;
  readonly body: Markup;
}

/** Shows what came of a request by somebody who is not signed in; a failure as `failed` says it, or by itself. */
async function respond(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  make: () => Promise<PublicPage>,
  failed: (error: PlatformError) => PublicPage | undefined = () => undefined,
): Promise<void> {
  try {
    const stale = platform.settings.fresh();
    if (stale) await stale;
    sendPage(reply, layout(await make()), 200);
  } catch (error) {
    const known = (
      error instanceof PlatformError ? error : (fromDatabaseError(error) ?? new PlatformError('INTERNAL'))
    ).masked();
    if (known.code === 'INTERNAL')
      platform.log.error('page failed', {
        page: request.routeOptions.url ?? 'unknown',
        error: error instanceof Error ? error.name : typeof error,
      });
    const retryAfter = known.details?.['RetryAfterSeconds'];
    if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
    const shown = failed(known) ?? {
      title: 'Not possible',
      body: html`<h1>Not possible</h1>
${errorNote(known)}
<p><a href="/signin">Sign in</a></p>`,
    };
    sendPage(reply, layout(shown), known.status);
  }
}

function callOrganization(
  platform: Platform,
  request: FastifyRequest,
  operation: string,
  parameters: Parameters,
): Promise<CallOutcome> {
  const route = parseRoute(platform.registry, ['organization', operation], 'POST');
  return invoke(platform, {
    route,
    parameters,
    address: request.ip,
    correlationId: randomUUID(),
    cause: ['Page'],
    surface: 'page',
  });
}

function textOf(form: Parameters, name: string): string {
  const value = parameter(form, name);
  return typeof value === 'string' ? value : '';
}

function registerBody(form: Parameters, error?: PlatformError): Markup {
  const typed = (name: string): string => textOf(form, name);
  return html`<h1>Register</h1>
${error && errorNote(error)}
<form class="stacked" method="post" action="/register">
<p><label for="first">First name</label><input id="first" name="FirstName" value="${typed('FirstName')}" autocomplete="given-name" maxlength="100" required></p>
<p><label for="last">Last name</label><input id="last" name="LastName" value="${typed('LastName')}" autocomplete="family-name" maxlength="100" required></p>
<p><label for="email">Mail address, with which you will sign in</label><input id="email" name="Email" type="email" value="${typed('Email')}" autocomplete="username" maxlength="100" required></p>
<p><label for="password">Password, at least 12 characters</label><input id="password" name="Password" type="password" autocomplete="new-password" minlength="12" maxlength="255" required></p>
<p><label for="organization">Your organization's name, where it is new here</label><input id="organization" name="Organization" value="${typed('Organization')}" autocomplete="organization" maxlength="255"></p>
<p><label for="lookup">Or the code that your organization gave you</label><input id="lookup" name="Lookup" value="${typed('Lookup')}" autocomplete="off" maxlength="100" spellcheck="false"></p>
<p><button>Register</button></p>
</form>
<p class="quiet">You have an account already? <a href="/signin">Sign in</a>.</p>`;
}

import type { FastifyRequest } from 'fastify';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { parameter, type Parameters } from '../../../kernel/parameters/parameters.ts';
import type { Platform } from '../../../kernel/ports/platform.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { SettingDefinition } from '../../../kernel/declare/setting.ts';
import { button, buttonLink } from '../design/button.ts';
import { textField, type TextKind } from '../design/field.ts';
import { errorNote } from '../notes.ts';
import { entryFrame } from './entry-frame.ts';
import { layout } from '../layout.ts';
import { readForm, sendPage, type Page } from '../page.ts';
import { callPublic, respond, type PublicPage } from '../public-page.ts';

/** Largest form of these pages. Anyone may send one. */
const FORM_BYTES_MAX = 16 * 1024;

/** Whether people can register themselves; the pages offer it only then. */
export function isRegistrationOpen({ registry, settings }: Pick<Platform, 'registry' | 'settings'>): boolean {
  const setting = registry.settings.find(({ name }) => name === 'RegistrationEnabled') as
    | SettingDefinition<boolean>
    | undefined;
  return setting !== undefined && settings.get(setting);
}

/** Shows what a mailed link leads to. It only asks, because programs that scan mail follow links too. */
export const confirmPage: Page = async (_platform, _request, reply) => {
  sendPage(
    reply,
    await layout({
      title: 'Confirm your registration',
      place: 'none',
      body: entryFrame(html`<h1>Confirm your registration</h1>
<p class="soft">Someone registered with your email address. Confirm only if it was you.</p>
<form method="post">
${button({ text: 'Confirm', kind: 'primary', attributes: html`autofocus` })}
</form>`),
    }),
    200,
  );
};

/** Confirms a registration by the token in the address. */
export const confirmRegistration: Page = (platform, request, reply) =>
  respond(platform, request, reply, {
    make: async () => {
      await readForm(request, FORM_BYTES_MAX);
      const { token = '' } = request.params as Readonly<Record<string, string>>;
      await callPublic(platform, request, 'organization/confirm', { Token: token }).catch((error: unknown) => {
        // People who follow a link know nothing of parameters.
        throw error instanceof PlatformError && error.field === 'Token'
          ? new PlatformError(error.code, { message: error.message })
          : error;
      });
      return {
        title: 'Confirmed',
        body: entryFrame(html`<h1>Confirmed</h1>
<p class="soft">Your account is ready. Sign in with your email address and password.</p>
<p>${buttonLink({ text: 'Sign in', href: '/signin', kind: 'primary' })}</p>`),
      };
    },
  });

/** Shows the registration form, where registration is open. */
export const registerPage: Page = (platform, request, reply) =>
  respond(platform, request, reply, {
    make: () => {
      if (!isRegistrationOpen(platform))
        throw new PlatformError('NO_PERMISSION', {
          message: 'Registration is closed. Ask an administrator for an account.',
        });
      return Promise.resolve({ title: 'Register', body: registerBody({}) });
    },
  });

/** Registers a new firm, or a user of the firm whose code was entered. */
export const register: Page = async (platform, request, reply) => {
  let form: Parameters = {};
  await respond(platform, request, reply, {
    make: async () => {
      form = await readForm(request, FORM_BYTES_MAX);
      await submitRegistration(platform, request, form);
      return confirmationSent(textOf(form, 'Email').trim());
    },
    failed: (error) =>
      error.code === 'NO_PERMISSION' ? undefined : { title: 'Register', body: registerBody(form, error) },
  });
};

async function submitRegistration(platform: Platform, request: FastifyRequest, form: Parameters): Promise<void> {
  const typed = (name: string): string => textOf(form, name).trim();
  const registrant = {
    FirstName: typed('FirstName'),
    LastName: typed('LastName'),
    Email: typed('Email'),
    Password: textOf(form, 'Password'),
  };
  const [lookup, organization] = [typed('Lookup'), typed('Organization')];
  // The form needs one of the two, which the parameters of the operations cannot express.
  if (lookup === '' && organization === '')
    throw new PlatformError('MISSING_PARAMETER', {
      message: "Enter your firm's name if it's new here, or the code your firm gave you.",
    });
  if (lookup === '')
    await callPublic(platform, request, 'organization/register', { ...registrant, Organization: organization });
  else await callPublic(platform, request, 'organization/registeruser', { ...registrant, Lookup: lookup });
}

function confirmationSent(email: string): PublicPage {
  return {
    title: 'Check your email',
    body: entryFrame(html`<h1>Check your email</h1>
<p>We sent an email to <strong>${email}</strong>. Open the link in it to confirm your registration, then sign in.</p>
<p class="prose soft">
  No email after a few minutes? Check your spam folder, check the address and the code, and
  <a href="/register">register again</a>.
</p>`),
  };
}

function textOf(form: Parameters, name: string): string {
  const value = parameter(form, name);
  return typeof value === 'string' ? value : '';
}

/** A field of the registration form. `attributes`: what its input has besides id, name and value. */
interface RegistrationField {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: TextKind;
  readonly isRequired?: boolean;
  readonly attributes: Markup;
}

const registrationFields: readonly RegistrationField[] = [
  {
    id: 'first',
    name: 'FirstName',
    label: 'First name',
    isRequired: true,
    attributes: html`autocomplete="given-name" maxlength="100"`,
  },
  {
    id: 'last',
    name: 'LastName',
    label: 'Last name',
    isRequired: true,
    attributes: html`autocomplete="family-name" maxlength="100"`,
  },
  {
    id: 'email',
    name: 'Email',
    label: 'Email',
    hint: 'You sign in with it.',
    type: 'email',
    isRequired: true,
    attributes: html`autocomplete="username" maxlength="100"`,
  },
  {
    id: 'password',
    name: 'Password',
    label: 'Password',
    hint: 'At least 12 characters.',
    type: 'password',
    isRequired: true,
    attributes: html`autocomplete="new-password" minlength="12" maxlength="255"`,
  },
  {
    id: 'organization',
    name: 'Organization',
    label: "Your firm's name, if it's new here",
    attributes: html`autocomplete="organization" maxlength="255"`,
  },
  {
    id: 'lookup',
    name: 'Lookup',
    label: 'Or the code your firm gave you',
    attributes: html`autocomplete="off" maxlength="100" spellcheck="false"`,
  },
];

function registerBody(form: Parameters, error?: PlatformError): Markup {
  // A password is never sent back to the browser.
  const field = (of: RegistrationField): Markup =>
    textField({ ...of, value: of.name === 'Password' ? '' : textOf(form, of.name) });
  return entryFrame(html`<h1>Register</h1>
${error && errorNote(error)}
<form method="post" action="/register">
${registrationFields.map(field)}
${button({ text: 'Register', kind: 'primary' })}
</form>
<p class="prose soft">Already have an account? <a href="/signin">Sign in</a></p>`);
}

import type { OperationName } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';

/** What operators look for, by the words that they type. */
interface OperatorCommand {
  readonly text: string;
  readonly href: string;
  readonly needs: OperationName;
  /** Further words by which it is found. */
  readonly words: string;
}

/** A command as the palette offers it. */
export interface FoundCommand {
  readonly text: string;
  readonly href: string;
  readonly detail: string;
}

/** Fewest characters by which commands are found, and the most that are offered. */
const CHARACTERS_MIN = 3;
const COMMANDS_MAX = 4;
const SETTINGS_MAX = 3;

const commands: readonly OperatorCommand[] = [
  {
    text: 'Dead letters',
    href: '/administration/queues#dead-letters',
    needs: 'queue/causes',
    words: 'failed calls jobs errors retry all requeue discard',
  },
  {
    text: 'Pause, limit or start a queue or an operation',
    href: '/administration/queues#queues',
    needs: 'queue/stop',
    words: 'stop resume throttle rate waiting backlog starved jobs depth',
  },
  {
    text: 'Running and waiting calls',
    href: '/administration/queues?State=active#messages',
    needs: 'queue/search',
    words: 'queue jobs active stuck cancel call',
  },
  {
    text: 'Revoke an API key',
    href: '/administration/keys',
    needs: 'apikey/revoke',
    words: 'leaked stolen keys token secret expires expiring',
  },
  {
    text: 'End a session',
    href: '/administration/sessions',
    needs: 'session/end',
    words: 'sessions sign out log user kick',
  },
  {
    text: 'Mail servers',
    href: '/administration/mail-servers',
    needs: 'mailoutbound/search',
    words: 'mail send smtp outgoing test provider waiting',
  },
  {
    text: 'Mailboxes',
    href: '/administration/mailboxes',
    needs: 'mailinbound/search',
    words: 'mail receive inbox imap account sign-in test rules',
  },
  {
    text: 'Blocked addresses',
    href: '/administration/blocked-addresses',
    needs: 'mailsuppression/search',
    words: 'suppression bounced unsubscribed mail lift',
  },
  {
    text: 'Health',
    href: '/administration/health',
    needs: 'system/health',
    words: 'status working wrong broken disk space database alarm mute acknowledge',
  },
  {
    text: 'Recent errors',
    href: '/administration/health#errors',
    needs: 'errorlog/search',
    words: 'error log stack exception correlation reference',
  },
  {
    text: 'Security log',
    href: '/administration/security',
    needs: 'securitylog/search',
    words: 'audit sign-ins refused attack who did',
  },
  {
    text: 'Slow searches and indexes',
    href: '/administration/indexes',
    needs: 'system/indexes',
    words: 'missing index slow search performance',
  },
  {
    text: 'Add a user',
    href: '/administration/users/new',
    needs: 'person/save',
    words: 'new person account create',
  },
  {
    text: 'Users',
    href: '/administration/users',
    needs: 'person/save',
    words: 'deactivate lock password reset account people',
  },
  {
    text: 'Roles',
    href: '/administration/roles',
    needs: 'role/granted',
    words: 'permissions may access rights compare',
  },
  {
    text: 'Settings',
    href: '/administration/settings',
    needs: 'setting/search',
    words: 'configuration options limits',
  },
];

/** Returns the commands of operators, and the settings, that a text names: each word begins one of theirs. */
export function operatorCommands(call: PageCall, text: string): readonly FoundCommand[] {
  const typed = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (text.length < CHARACTERS_MIN || typed.length === 0) return [];
  const found = commands.filter((each) => call.may(each.needs) && matches(typed, `${each.text} ${each.words}`));
  return [
    ...found.slice(0, COMMANDS_MAX).map(({ text: name, href }) => ({ text: name, href, detail: 'Administration' })),
    ...foundSettings(call, typed),
  ];
}

/** Whether each typed word begins a word of a text. */
function matches(typed: readonly string[], text: string): boolean {
  const words = text.toLowerCase().split(/[\s,]+/);
  return typed.every((word) => words.some((each) => each.startsWith(word)));
}

function foundSettings(call: PageCall, typed: readonly string[]): readonly FoundCommand[] {
  if (!call.may('setting/save')) return [];
  return call.platform.registry.settings
    .filter(({ name }) => matches(typed, `${name} ${name.replace(/([a-z0-9])([A-Z])/g, '$1 $2')} setting`))
    .slice(0, SETTINGS_MAX)
    .map(({ name }) => ({
      text: name,
      href: `/administration/settings?${new URLSearchParams({ Text: name }).toString()}`,
      detail: 'Setting',
    }));
}

import { CSRF_PARAMETER } from '../shared/csrf.ts';
import type { Markup } from '../../kernel/render/markup.ts';
import { assetAddresses } from './assets/assets.ts';
import { hiddenField } from './components.ts';
import { unreadCount } from './notifications/bell.ts';
import type { OperationName } from '../../kernel/declare/catalog.ts';
import type { PageCall, ShownPage } from './page-call.ts';
import { bareShell, shell } from './shell/shell.ts';
import { loadSidebar } from './shell/sidebar-counts.ts';

/** A page's content. Without a call the page is for people who are not signed in. */
export interface LayoutParts extends ShownPage {
  readonly call?: PageCall | undefined;
}

/** A page for administrators, offered to users who may call the operation that it `needs`. */
export interface AdministrationPage {
  readonly path: string;
  readonly name: string;
  readonly needs: OperationName;
  readonly doc: string;
}

/** The pages for administrators, in the order in which they are listed. */
export const administrationPages: readonly AdministrationPage[] = [
  {
    path: '/administration/users',
    name: 'Users',
    needs: 'person/save',
    doc: 'Add users, assign roles and create API keys.',
  },
  {
    path: '/administration/roles',
    name: 'Roles',
    needs: 'role/granted',
    doc: 'See what each role may do, and change it.',
  },
  {
    path: '/administration/keys',
    name: 'API keys',
    needs: 'apikey/search',
    doc: 'See and revoke the keys that programs use.',
  },
  {
    path: '/administration/sessions',
    name: 'Sessions',
    needs: 'session/search',
    doc: 'See who is signed in, and end sessions.',
  },
  {
    path: '/administration/settings',
    name: 'Settings',
    needs: 'setting/search',
    doc: 'Change how this installation behaves.',
  },
  {
    path: '/administration/queues',
    name: 'Queues',
    needs: 'queue/queues',
    doc: 'Retry or discard failed calls; stop, start and limit queues.',
  },
  {
    path: '/administration/files',
    name: 'Files',
    needs: 'fileobject/save',
    doc: 'See where the files of documents are, and move them.',
  },
  {
    path: '/administration/mail-servers',
    name: 'Mail servers',
    needs: 'mailoutbound/search',
    doc: 'Add and test the servers that send email.',
  },
  {
    path: '/administration/mailboxes',
    name: 'Mailboxes',
    needs: 'mailinbound/search',
    doc: 'See whether mail is received, test mailboxes, and unblock addresses.',
  },
  {
    path: '/administration/payment-gateways',
    name: 'Payment gateways',
    needs: 'paymentprovider/search',
    doc: 'Test the gateways that charge cards, and find their webhook addresses.',
  },
  {
    path: '/administration/indexes',
    name: 'Indexes',
    needs: 'system/indexes',
    doc: 'See slow searches and add indexes for them.',
  },
  {
    path: '/administration/security',
    name: 'Security log',
    needs: 'securitylog/search',
    doc: 'See sign-ins, failed sign-ins and changes of access.',
  },
  {
    path: '/administration/health',
    name: 'Health',
    needs: 'system/health',
    doc: 'Check the database, queues and files, and see recent errors.',
  },
];

/** Renders a whole page. */
export async function layout(parts: LayoutParts): Promise<Markup> {
  const { call } = parts;
  const [asset, unread, sidebar] = await Promise.all([
    assetAddresses(),
    call ? unreadCount(call) : 0,
    call && loadSidebar(call),
  ]);
  return call ? shell({ ...parts, call, asset, unread, sidebar }) : bareShell({ ...parts, asset });
}

/** Renders the hidden field without which a form is refused. */
export function csrfField({ csrf }: Pick<PageCall, 'csrf'>): Markup {
  return hiddenField(CSRF_PARAMETER, csrf);
}

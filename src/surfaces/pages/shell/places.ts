import type { OperationName } from '../../../kernel/declare/catalog.ts';
import type { Preferences } from '../../../kernel/security/preferences.ts';
import type { IconName } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { mayConfigure } from '../configure/configuration-kinds.ts';
import { administrationPages } from '../layout.ts';

/** The parts of the console that the sidebar leads to. A page says in which of them it is. */
export type PlaceName =
  | 'home'
  | 'work'
  | 'team'
  | 'cases'
  | 'contacts'
  | 'documents'
  | 'messages'
  | 'payments'
  | 'imports'
  | 'records'
  | 'configure'
  | 'admin'
  | 'account'
  | 'notifications'
  /** No entry is current. */
  | 'none';

/** An entry of the sidebar. */
export interface SidebarPlace {
  readonly name: PlaceName;
  readonly text: string;
  readonly path: string;
  readonly icon: IconName;
  /** The key that follows `g`. */
  readonly goKey?: string;
  /** The single key that leads there. */
  readonly key?: string;
  /** Whether the user is offered it: nothing is offered that would be refused. */
  readonly isFor: (call: PageCall) => boolean;
  /** Whether phones have it at the bottom; the others are under More. */
  readonly isOnPhone?: boolean;
}

const everybody = (): boolean => true;
const mayAdminister = (call: PageCall): boolean => administrationPages.some(({ needs }) => call.may(needs));
const whoMay =
  (...names: readonly OperationName[]) =>
  (call: PageCall): boolean =>
    names.some((name) => call.may(name));

/** The sidebar's entries in order. */
export const places: readonly SidebarPlace[] = [
  { name: 'home', text: 'Home', path: '/', icon: 'home', goKey: 'h', isFor: everybody, isOnPhone: true },
  {
    name: 'work',
    text: 'My work',
    path: '/work',
    icon: 'work',
    goKey: 'w',
    key: 'w',
    isFor: whoMay('smartworklistmember/next'),
    isOnPhone: true,
  },
  { name: 'team', text: 'Team', path: '/team', icon: 'team', goKey: 't', isFor: whoMay('smartworklist/counts') },
  {
    name: 'cases',
    text: 'Cases',
    path: '/cases',
    icon: 'case',
    goKey: 'c',
    isFor: whoMay('process/search'),
    isOnPhone: true,
  },
  {
    name: 'contacts',
    text: 'Contacts',
    path: '/contacts',
    icon: 'people',
    goKey: 'p',
    isFor: whoMay('contact/search'),
  },
  {
    name: 'documents',
    text: 'Documents',
    path: '/documents',
    icon: 'document',
    goKey: 'd',
    isFor: whoMay('attachment/search'),
  },
  {
    name: 'messages',
    text: 'Messages',
    path: '/messages',
    icon: 'message',
    goKey: 'm',
    isFor: whoMay('message/search'),
    isOnPhone: true,
  },
  {
    name: 'payments',
    text: 'Payments',
    path: '/payments',
    icon: 'money',
    goKey: 'y',
    isFor: whoMay('payment/search'),
  },
  {
    name: 'imports',
    text: 'Imports',
    path: '/imports',
    icon: 'import',
    goKey: 'i',
    isFor: whoMay('importfile/search'),
  },
  {
    name: 'configure',
    text: 'Configure',
    path: '/configure',
    icon: 'configure',
    goKey: 'f',
    isFor: mayConfigure,
  },
  {
    name: 'records',
    text: 'All records',
    path: '/records',
    icon: 'database',
    goKey: 'r',
    isFor: (call) => mayConfigure(call) || mayAdminister(call),
  },
  {
    name: 'admin',
    text: 'Administration',
    path: '/administration',
    icon: 'admin',
    goKey: 'a',
    isFor: mayAdminister,
  },
];

/** Places where a user may choose to begin. */
const starts: Readonly<Record<Preferences['startPage'], PlaceName>> = {
  Home: 'home',
  Work: 'work',
  Cases: 'cases',
  Team: 'team',
};

/** Returns the places where the user may choose to begin, by the names of the preference. */
export function startPlaces(call: PageCall): { readonly value: string; readonly text: string }[] {
  return Object.entries(starts).flatMap(([value, name]) => {
    const place = places.find((each) => each.name === name);
    return place?.isFor(call) ? [{ value, text: place.text }] : [];
  });
}

/** Returns the address where a user begins. */
export function startPath({ startPage }: Preferences): string {
  return places.find(({ name }) => name === starts[startPage])?.path ?? '/';
}

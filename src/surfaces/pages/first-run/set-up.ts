import type { RecordName } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';
import { rowsOf } from '../table.ts';

/** A step of setting up an installation, with what is there. */
export interface SetUpStep {
  readonly text: string;
  readonly help: string;
  readonly href: string;
  readonly count: number;
  readonly isDone: boolean;
}

interface PlannedStep extends Pick<SetUpStep, 'text' | 'help' | 'href'> {
  readonly record: RecordName;
  /** Records that there are before anybody has done the step. */
  readonly given: number;
}

/** Import types of the standard configuration. */
const STANDARD_IMPORT_TYPES = 13;
/** The built-in users and the first administrator. */
const FIRST_USERS = 3;

const steps: readonly PlannedStep[] = [
  {
    text: 'Add the people of your office',
    help: 'Each with a role that says what they may do.',
    href: '/administration/users',
    record: 'Person',
    given: FIRST_USERS,
  },
  {
    text: 'Change the settings that differ here',
    help: 'The time zone, business hours, limits and retention.',
    href: '/administration/settings',
    record: 'Setting',
    given: 0,
  },
  {
    text: 'Add your firms',
    help: 'Each firm sees its own cases, and sends referrals.',
    href: '/records/organization',
    record: 'Organization',
    given: 0,
  },
  {
    text: 'Make teams',
    help: 'Groups of users, to which queues give work.',
    href: '/records/collection?SourceObject=Person',
    record: 'Collection',
    given: 0,
  },
  {
    text: 'Create queues',
    help: 'They collect tasks, and give each person the next one.',
    href: '/records/smartworklisttemplate',
    record: 'SmartWorklistTemplate',
    given: 0,
  },
  {
    text: 'Describe the files that come in',
    help: 'An import type says which column of a file goes where.',
    href: '/records/importfiletemplate',
    record: 'ImportFileTemplate',
    given: STANDARD_IMPORT_TYPES,
  },
  {
    text: 'Connect a mail server',
    help: 'Until then mail is stored in a folder.',
    href: '/administration/mail-servers',
    record: 'MailOutbound',
    given: 0,
  },
];

/** Returns the steps of setting up that the user may take, each with what the records say of it. */
export async function setUpSteps(call: PageCall): Promise<readonly SetUpStep[]> {
  const offered = steps.filter((step) => {
    const record = call.platform.registry.recordType(step.record);
    return call.mayOf(record, 'save') && call.mayOf(record, 'search');
  });
  return Promise.all(
    offered.map(async ({ record: name, given, ...step }) => {
      const record = call.platform.registry.recordType(name);
      const { answer } = await call.callOf(record, 'search', { DisplaySize: 1, SqlColumns: record.idField });
      const count = Math.max(0, rowsOf(answer).count - given);
      return { ...step, count, isDone: count > 0 };
    }),
  );
}

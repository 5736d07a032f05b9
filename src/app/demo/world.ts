import { redateHistory, type DatedCall } from '../../kernel/records/history/redate-history.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import {
  addDemoProgress,
  beginDemoWorld,
  endDemoWorld,
  noteDemoProgress,
} from '../../modules/system/public/demo-world.ts';
import { demoUser, type DemoUser, type NoteCall } from './demo-user.ts';
import { createDecisionTable } from './decision-table.ts';
import { followCases } from './follow-cases.ts';
import { handOutWork } from './hand-out-work.ts';
import { createLetterTypes, mailLetters } from './letters.ts';
import { playLedgers } from './play-ledgers.ts';
import { playPayments } from './play-payments.ts';
import { fillMailbox } from './mail.ts';
import { sendWrongCalls } from './wrong-calls.ts';
import { sendBalances } from './nightly-balances.ts';
import type { MovedClock } from './moved-clock.ts';
import { playCase, type Stage } from './play-case.ts';
import { createQueues } from './queues.ts';
import { createStaff, type Cast, type Office, type StaffMember } from './staff.ts';
import { LOAN_PREFIX, planCases, type CasePlan } from './world-plan.ts';

const DAY = 86_400_000;
/** When the demo's users and queues were created, in days before the present. */
const OFFICE_OPENED_DAYS = 730;
/** Cases played at once, so that neither the thread nor the database waits for the other. */
const LANES = 4;
/** Cases after which the progress is noted. */
const PROGRESS_CASES = 5;

/** Initials of the demo's firms, with which their case numbers begin. */
const firmInitials: ReadonlyMap<string, string> = new Map([
  ['Northgate Law', 'NGL'],
  ['Harrow & Finch LLP', 'HAF'],
  ['Cedar Point Legal Group', 'CPL'],
]);

/** Gets each user who can sign in, with the password, which is stored nowhere else. */
export type WorldReport = (member: StaffMember, password: string) => void;

/** How the cases are played. */
export interface LoadOptions {
  /** Which cases. Default: all of the demo. */
  readonly plan?: (now: number) => readonly CasePlan[];
  /** Plays every second case elsewhere at the same time with {@link playHalf}. `present`: milliseconds since 1970. */
  readonly playOtherHalf?: (present: number) => Promise<readonly DatedCall[]>;
}

/**
 * Loads the demo's users, queues and cases: every case is played from its referral to the present by calling
 * operations, in the name of the users who would, with a clock that is moved through the two years. What is there
 * already is left as it is, so an interrupted load continues where it was; a case that was being played stays at the
 * step it had reached.
 */
export async function loadWorld(
  platform: Platform,
  clock: MovedClock,
  report: WorldReport,
  { plan = planCases, playOtherHalf }: LoadOptions = {},
): Promise<void> {
  const { store } = platform;
  const present = clock.milliseconds();
  const plans = plan(present);
  await beginDemoWorld(store, plans.length, clock.now());
  try {
    const dated: DatedCall[] = [];
    const noteCall = (callId: string): void => void dated.push({ callId, at: clock.now() });
    const admin = await administrator(platform, noteCall);
    const office = { platform, admin, noteCall, announce: report };
    await admin.call('setting/save', { Setting: 'FirstSteps', Value: 'Demo' });
    const cast = await clock.at(present - OFFICE_OPENED_DAYS * DAY, () => openOffice(office));
    const stage: Stage = { clock, cast, firms: await firmsOf(admin), until: present };
    await noteDemoProgress(store, (await knownLoans(stage)).size);
    const [elsewhere = []] = await Promise.all([
      playOtherHalf?.(present),
      playAll(platform, playOtherHalf ? halfOf(plans, 0) : plans, stage),
    ]);
    dated.push(...elsewhere);
    // The letters wait for the program that prints them; the rest continues meanwhile.
    await Promise.all([
      mailLetters(platform, stage).catch((error: unknown) => {
        platform.log.error('the demo has no mailings', { error: String(error) });
      }),
      fillOffice(platform, stage, noteCall),
    ]);
    await redateHistory(store, dated);
    await endDemoWorld(store, clock.now(), null);
  } catch (error) {
    await endDemoWorld(store, clock.now(), error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** Adds what is there besides the cases: imports, a decision table, everybody's work, mail, and calls that fail. */
async function fillOffice(platform: Platform, stage: Stage, noteCall: NoteCall): Promise<void> {
  await sendBalances(platform, stage);
  await createDecisionTable(stage);
  await handOutWork(platform, stage);
  await followCases(stage);
  await playLedgers(stage);
  await playPayments(stage);
  await fillMailbox(platform, stage);
  await sendWrongCalls(platform, stage, noteCall);
}

/** Plays every second case of a demo whose users and queues are there. Returns its calls. */
export async function playHalf(platform: Platform, clock: MovedClock, present: number): Promise<readonly DatedCall[]> {
  const dated: DatedCall[] = [];
  const noteCall = (callId: string): void => void dated.push({ callId, at: clock.now() });
  const admin = await administrator(platform, noteCall);
  const cast = await createStaff({ platform, admin, noteCall, announce: () => undefined });
  const stage: Stage = { clock, cast, firms: await firmsOf(admin), until: present };
  await playAll(platform, halfOf(planCases(present), 1), stage);
  return dated;
}

function halfOf(plans: readonly CasePlan[], which: 0 | 1): readonly CasePlan[] {
  return plans.filter(({ number }) => number % 2 === which);
}

async function administrator(platform: Platform, noteCall: (callId: string) => void): Promise<DemoUser> {
  const personId = await platform.identity.builtinPersonId(platform.configuration, 'System');
  if (personId === undefined) throw new Error('the built-in user System is missing');
  return demoUser(platform, await platform.identity.ofPerson(personId), noteCall);
}

async function openOffice(office: Office): Promise<Cast> {
  const cast = await createStaff(office);
  await createQueues(office.admin, cast.teamIds);
  await createLetterTypes(office);
  return cast;
}

async function firmsOf(admin: DemoUser): Promise<Stage['firms']> {
  const { rows } = await admin.call('organization/search', { SqlColumns: 'OrganizationID,Organization' });
  return rows.flatMap(({ OrganizationID: id, Organization: name }) => {
    const initials = firmInitials.get(name ?? '');
    return initials === undefined ? [] : [{ id, initials }];
  });
}

/** Plays the cases that are not there yet, several at once, in the order of their referrals. */
async function playAll(platform: Platform, plans: readonly CasePlan[], stage: Stage): Promise<void> {
  const loans = await knownLoans(stage);
  const left = plans.filter(({ loan }) => !loans.has(loan));
  let played = 0;
  const lane = async (): Promise<void> => {
    for (let plan = left.shift(); plan; plan = left.shift()) {
      // One case that cannot go on, as after a change of the standard workflows, stays where it is.
      await playCase(plan, stage).catch((error: unknown) => {
        platform.log.error('a case of the demo stopped', { case: plan.number, error: String(error) });
      });
      played++;
      if (played % PROGRESS_CASES === 0) await addDemoProgress(platform.store, PROGRESS_CASES);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Returns the loan numbers of the cases that are there. */
async function knownLoans({ cast }: Stage): Promise<ReadonlySet<string | null>> {
  const { rows } = await cast.admin.call('loan/search', {
    Loan: `${LOAN_PREFIX}*`,
    SqlColumns: 'Loan',
    DisplaySize: 1_000,
  });
  return new Set(rows.map((row) => row.Loan));
}

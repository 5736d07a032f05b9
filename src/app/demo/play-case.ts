import { seededRandom, type Random } from './random.ts';
import type { DemoUser } from './demo-user.ts';
import type { MovedClock } from './moved-clock.ts';
import { teamOfTask } from './queues.ts';
import type { Cast } from './staff.ts';
import { workingTime } from './working-time.ts';
import { letters, notes } from './texts.ts';
import { lastNameOf, type CasePlan } from './world-plan.ts';

const DAY = 86_400_000;
/** Most tasks that one case completes: a workflow that goes round in circles would never end. */
const TASKS_MAX = 40;
/** Tasks of so many days before the present are taken from their queues; older ones only count as done. */
const TAKEN_DAYS = 28;
/** Tasks after which the sale is scheduled. */
const SALE_IS_SET_BY: ReadonlySet<string> = new Set(['Obtain the judgment', 'Mail the notice of default']);
/** Most days by which a task is done after its target. */
const LATE_DAYS = 12;
/** From the petition to the order that ends the automatic stay, in days. */
const STAY_DAYS = { from: 70, to: 150 } as const;
/** From the judgment or the notice to the sale, in days. */
const SALE_DAYS = { from: 30, to: 60 } as const;

/** Where the demo's cases are played. */
export interface Stage {
  readonly clock: MovedClock;
  readonly cast: Cast;
  /** The ids and the initials of the firms to which cases are referred. */
  readonly firms: readonly { readonly id: number; readonly initials: string }[];
  /** The instant at which the demo ends: the present. Milliseconds since 1970. */
  readonly until: number;
}

/** A case while it is played. */
interface PlayedCase {
  readonly plan: CasePlan;
  readonly stage: Stage;
  readonly random: Random;
  readonly kind: 'Foreclosure' | 'Bankruptcy';
  readonly id: number;
  readonly loanId: number;
  /** The time in the case, in milliseconds since 1970. */
  at: number;
  tasksDone: number;
}

interface OpenTask {
  readonly id: number;
  readonly name: string;
  readonly dueAt: number;
}

/** Answers of the required questions, by the task's name: the question, and how likely it is answered with yes. */
const questions: ReadonlyMap<string, readonly [question: string, yes: number]> = new Map([
  ['Review the referral', ['DocumentsComplete', 0.8]],
  ['Choose the kind of foreclosure', ['Judicial', 0.5]],
  ['Check military service', ['OnActiveDuty', 0]],
  ['Review the title', ['TitleClear', 0.78]],
  ['Serve the parties', ['AnswerFiled', 0.25]],
  ['Check for reinstatement', ['Reinstated', 0.12]],
  ['Hold the sale', ['SoldToThirdParty', 0.35]],
  ['Review the bankruptcy referral', ['DebtDisputed', 0.1]],
  ['Approve the claim', ['ClaimCorrect', 0.9]],
  ['Serve the motion', ['ObjectionFiled', 0.3]],
  ['Negotiate an agreed order', ['Agreed', 0.6]],
  ['Watch for objections', ['ObjectionFiled', 0.2]],
]);

/** Plays a case from its referral until it is closed, or until the present. */
export async function playCase(plan: CasePlan, stage: Stage): Promise<void> {
  const random = seededRandom(plan.seed);
  const { closedAt } = plan;
  if (closedAt !== undefined) return stage.clock.at(closedAt, () => recordFormerCase({ ...plan, closedAt }, stage));
  const played = await stage.clock.at(plan.referredAt, () => referCase(plan, stage, random));
  await playOn(played);
}

/** Records a case of the former system with its result. */
async function recordFormerCase(plan: CasePlan & { readonly closedAt: number }, stage: Stage): Promise<void> {
  const loanId = await saveLoan(plan, stage);
  const sold = plan.seed % 3 !== 0;
  const { row } = await stage.cast.admin.call('foreclosure/save', {
    ...caseColumns(plan, stage, loanId),
    Status: 'Closed',
    DateClosed: new Date(plan.closedAt).toISOString().slice(0, 10),
    ClosedReason: sold ? 'Sale completed' : 'Reinstated',
  });
  await stage.cast.admin.call('message/save', {
    Message: 'Taken over',
    BodyText: 'This case was handled in the former system. Its result was taken over; its file is in the archive.',
    Object: 'Foreclosure',
    ObjectID: row.ForeclosureID,
  });
}

async function playOn(played: PlayedCase): Promise<void> {
  while (played.tasksDone < TASKS_MAX) {
    if (played.kind === 'Foreclosure') await takeTurns(played);
    // A hold that lasts until now: what follows is later.
    if (played.at >= played.stage.until) return;
    const task = await nextTask(played);
    if (task === undefined) return closeCase(played);
    if (!(await completeTask(played, task))) return;
  }
}

/** Saves the property, the loan and its borrowers. Returns the loan's ID. */
async function saveLoan(plan: CasePlan, { cast: { admin } }: Stage): Promise<number> {
  const { town } = plan;
  const { row: property } = await admin.call('property/save', {
    Address: plan.address,
    City: town.city,
    State: town.state,
    PostalCode: town.zip,
    PropertyType: 'Single family',
  });
  const { row: loan } = await admin.call(
    'loan/save',
    {
      Loan: plan.loan,
      Agency: 'INVESTOR',
      PropertyID: property.PropertyID,
      ServicerLoanID: `S${7_000_000 + plan.number * 37}`,
      LoanType: plan.loanType,
      LienPriorityType: 1,
      OriginalBalance: (plan.balance * 1.18).toFixed(2),
      UPBAmount: plan.balance.toFixed(2),
    },
    {
      Borrowers: plan.borrowers.map(({ firstName, lastName, phone }, at) => ({
        FirstName: firstName,
        LastName: lastName,
        BorrowerType: at === 0 ? 'Primary' : 'Secondary',
        Sequence: at + 1,
        Address: plan.address,
        City: town.city,
        State: town.state,
        PostalCode: town.zip,
        USSSN: `9${String((plan.seed + at * 7_919) % 100_000_000).padStart(8, '0')}`,
        Methods: [{ MethodType: 'Phone', ContactValue: phone, PrimaryMethod: true }],
      })),
    },
  );
  return loan.LoanID;
}

function caseColumns(plan: CasePlan, { firms }: Stage, loanId: number) {
  const firm = firms[plan.firm % firms.length];
  if (!firm) throw new Error('the demo has no firms');
  const year = new Date(plan.referredAt).getUTCFullYear() % 100;
  return {
    Foreclosure: `${firm.initials}-${year}-${String(2_000 + plan.number).padStart(5, '0')}`,
    ProcessType: plan.town.judicial ? 'Judicial' : 'Non Judicial',
    DateOpened: new Date(plan.referredAt).toISOString().slice(0, 10),
    LoanID: loanId,
    OrganizationID: firm.id,
  };
}

async function referCase(plan: CasePlan, stage: Stage, random: Random): Promise<PlayedCase> {
  const { admin } = stage.cast;
  const loanId = await saveLoan(plan, stage);
  const { row: made } = await admin.call('foreclosure/save', { ...caseColumns(plan, stage, loanId), Status: 'Open' });
  await admin.call('decision/save', {
    Template: 'Foreclosure referral',
    Object: 'Foreclosure',
    ObjectID: made.ForeclosureID,
  });
  return {
    plan,
    stage,
    random,
    kind: 'Foreclosure',
    id: made.ForeclosureID,
    loanId,
    at: plan.referredAt,
    tasksDone: 0,
  };
}

/** Returns the open task that is due first. */
async function nextTask(played: PlayedCase): Promise<OpenTask | undefined> {
  const { rows } = await played.stage.cast.admin.call('importform/search', {
    Object: played.kind,
    ObjectID: played.id,
    ActualCompletion: 'null',
    CanceledDate: 'null',
    RecordCount: false,
    SqlColumns: 'ImportFormID,ImportForm,EstimatedCompletion',
  });
  const open = rows.map((row) => ({
    id: row.ImportFormID,
    name: row.ImportForm ?? '',
    dueAt: row.EstimatedCompletion === null ? played.at + DAY : Date.parse(row.EstimatedCompletion),
  }));
  return open.toSorted((a, b) => a.dueAt - b.dueAt || a.id - b.id)[0];
}

/** Completes a task when it is done at the case's pace. Returns false if that is in the future. */
async function completeTask(played: PlayedCase, task: OpenTask): Promise<boolean> {
  const { plan, stage, random } = played;
  const target = Math.max(task.dueAt - played.at, DAY / 3);
  // Whatever the pace, somebody looks after a task that is late: within days, not months.
  const latest = target + LATE_DAYS * DAY * random.next() ** 2;
  const at = workingTime(played.at + Math.min(target * plan.pace * (0.6 + 0.8 * random.next()), latest), random);
  if (at >= stage.until) return false;
  const user = random.pick(stage.cast.byTeam.get(teamOfTask.get(task.name) ?? 'Litigation') ?? [stage.cast.admin]);
  const [question, yes] = questions.get(task.name) ?? [];
  const answers = {
    ...(question === undefined ? {} : { [question]: random.chance(yes ?? 0) ? '1' : '0' }),
    ...(task.name === 'Hold the sale' ? { Bids: bidsFor(plan) } : {}),
  };
  await stage.clock.at(at, async () => {
    if (stage.until - at < TAKEN_DAYS * DAY) await takeItem(stage, user, task.id);
    if (SALE_IS_SET_BY.has(task.name)) await setSaleDate(played, user, at);
    await user.call(
      'importform/save',
      { ID: task.id, ActualStart: new Date(at - DAY / 24).toISOString(), ActualCompletion: new Date(at).toISOString() },
      answers,
    );
    await writeAbout(played, user, task.name);
  });
  played.at = at;
  played.tasksDone++;
  return true;
}

/** Returns the bids at the sale, as rows: the opening bid is the lender's, for most of the debt. */
function bidsFor({ balance, number }: CasePlan): readonly Readonly<Record<string, string>>[] {
  const others = Array.from({ length: number % 3 }, (_, at) => ({
    Bidder: lastNameOf(number + 7 * (at + 1)),
    Amount: (balance * (0.9 + 0.03 * (at + 1))).toFixed(2),
  }));
  return [{ Bidder: 'Credit bid', Amount: (balance * 0.9).toFixed(2) }, ...others];
}

/** Gives the user the task's work item, if it is in a queue, so that the team's figures say who did it. */
async function takeItem({ cast }: Stage, user: DemoUser, taskId: number): Promise<void> {
  const { rows } = await cast.admin.call('smartworklistmember/search', {
    SourceObject: 'ImportForm',
    SourceObjectID: taskId,
    Status: 'Queued',
    SqlColumns: 'SmartWorklistMemberID,PersonID',
    RecordCount: false,
  });
  if (rows[0]?.PersonID === null) await user.call('smartworklistmember/start', { ID: rows[0].SmartWorklistMemberID });
}

/** Writes a note or files a document about some of the tasks. */
async function writeAbout(played: PlayedCase, user: DemoUser, task: string): Promise<void> {
  const { random, plan } = played;
  const text = notes.get(task);
  if (text !== undefined && random.chance(0.4))
    await user.call('message/save', {
      Message: task,
      BodyText: random.pick(text).replace('{name}', plan.borrowers[0]?.lastName ?? ''),
      Object: played.kind,
      ObjectID: played.id,
    });
  const letter = letters.get(task);
  if (letter !== undefined && random.chance(0.25))
    await user.call('attachment/save', {
      Attachment: letter,
      FileName: `${letter.toLowerCase().replaceAll(' ', '-')}-${plan.loan}.txt`,
      Content: Buffer.from(`${letter}\n\nLoan ${plan.loan}\n${plan.address}, ${plan.town.city}\n`).toString('base64'),
      Object: played.kind,
      ObjectID: played.id,
    });
}

/** Does what happens beside the tasks: holds, bankruptcies and active duty. */
async function takeTurns(played: PlayedCase): Promise<void> {
  const { plan, tasksDone } = played;
  if (tasksDone === plan.hold?.afterTasks) await placeHold(played, plan.hold);
  if (tasksDone === plan.bankruptcy?.afterTasks) await fileBankruptcy(played, plan.bankruptcy);
  if (plan.activeDuty && tasksDone === 1) await reportActiveDuty(played);
}

async function placeHold(played: PlayedCase, { type, reason, days }: NonNullable<CasePlan['hold']>): Promise<void> {
  const { stage, random } = played;
  const user = random.pick(stage.cast.byTeam.get('Title') ?? []);
  const from = workingTime(played.at + DAY, random);
  if (from >= stage.until) return;
  const { row: hold } = await stage.clock.at(from, () =>
    user.call('decisiondelay/save', {
      Object: 'Foreclosure',
      ObjectID: played.id,
      DecisionDelay: type,
      ReasonDetail: reason,
      ProjectedCompletion: new Date(from + days * 0.8 * DAY).toISOString(),
    }),
  );
  const until = workingTime(from + days * DAY, random);
  if (until >= stage.until) {
    played.at = stage.until;
    return;
  }
  await stage.clock.at(until, () =>
    user.call('decisiondelay/save', { ID: hold.DecisionDelayID, ActualCompletion: new Date(until).toISOString() }),
  );
  played.at = until;
}

async function fileBankruptcy(played: PlayedCase, { chapter }: NonNullable<CasePlan['bankruptcy']>): Promise<void> {
  const { stage, random, plan } = played;
  const user = random.pick(stage.cast.byTeam.get('Bankruptcy') ?? []);
  const at = workingTime(played.at + random.between(2, 9) * DAY, random);
  if (at >= stage.until) return;
  const date = (days: number): string => new Date(at + days * DAY).toISOString().slice(0, 10);
  const { id, holdId } = await stage.clock.at(at, async () => {
    const { row } = await user.call('bankruptcy/save', {
      Bankruptcy: `BK-${chapter}-${plan.loan.slice(-5)}`,
      LoanID: played.loanId,
      OrganizationID: stage.firms[plan.firm]?.id ?? null,
      ProcessType: 'POC',
      Chapter: chapter,
      BKCaseNo: `${new Date(at).getUTCFullYear() % 100}-${String(30_000 + plan.number * 13)}`,
      Court: `U.S. Bankruptcy Court, ${plan.town.state}`,
      Status: 'Open',
      DateOpened: date(0),
      FilingDate: date(-2),
      BarDate: date(70),
    });
    await user.call('decision/save', { Template: 'Proof of claim', Object: 'Bankruptcy', ObjectID: row.BankruptcyID });
    const { row: stay } = await user.call('decisiondelay/save', {
      Object: 'Foreclosure',
      ObjectID: played.id,
      DecisionDelay: 'Bankruptcy hold',
      ReasonDetail: `Chapter ${chapter} petition filed ${longDay(at - 2 * DAY)}. The automatic stay applies.`,
      ProjectedCompletion: new Date(at + 120 * DAY).toISOString(),
    });
    return { id: row.BankruptcyID, holdId: stay.DecisionDelayID };
  });
  await playOn({ ...played, kind: 'Bankruptcy', id, at, tasksDone: 0 });
  const until = workingTime(at + random.between(STAY_DAYS.from, STAY_DAYS.to) * DAY, random);
  if (until >= stage.until) {
    played.at = stage.until;
    return;
  }
  await stage.clock.at(until, () =>
    user.call('decisiondelay/save', { ID: holdId, ActualCompletion: new Date(until).toISOString() }),
  );
  played.at = until;
}

/** Returns a day as people write it: "October 17, 2026". */
function longDay(at: number): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(at);
}

async function reportActiveDuty(played: PlayedCase): Promise<void> {
  const { stage } = played;
  const { rows } = await stage.cast.admin.call('contact/search', {
    Object: 'Loan',
    ObjectID: played.loanId,
    SqlColumns: 'ContactID',
    RecordCount: false,
  });
  const [borrower] = rows;
  if (!borrower) return;
  await stage.clock.at(played.at, () =>
    stage.cast.admin.call('contact/save', {
      ID: borrower.ContactID,
      SCRAStatus: 'Active duty',
      SCRASource: 'Manual',
      SCRAStatusAsOf: new Date(played.at).toISOString().slice(0, 10),
      SCRAActiveDutyStartDate: new Date(played.at - 200 * DAY).toISOString().slice(0, 10),
    }),
  );
}

/** Sets the sale date that the workflow waits for next, as soon as it is known. */
async function setSaleDate({ id, random }: PlayedCase, user: DemoUser, at: number): Promise<void> {
  const saleAt = workingTime(at + random.between(SALE_DAYS.from, SALE_DAYS.to) * DAY, random);
  await user.call('foreclosure/save', { ID: id, ScheduledSaleDate: new Date(saleAt).toISOString().slice(0, 10) });
}

/** Closes a case whose workflow has come to its end, a few days later. */
async function closeCase(played: PlayedCase): Promise<void> {
  const { stage, random } = played;
  const { admin } = stage.cast;
  if (played.kind === 'Bankruptcy') return;
  const { rows: workflows } = await admin.call('decision/search', {
    Object: played.kind,
    ObjectID: played.id,
    SqlColumns: 'DecisionID,Status,ActualCompletion',
    RecordCount: false,
  });
  const at = workingTime(played.at + random.between(1, 4) * DAY, random);
  if (at >= stage.until || workflows.some((row) => row.ActualCompletion === null)) return;
  const { row } = await admin.call('foreclosure/select', { ID: played.id });
  const user = random.pick(stage.cast.byTeam.get('Sales') ?? []);
  await stage.clock.at(at, () =>
    user.call('foreclosure/save', {
      ID: played.id,
      Status: 'Closed',
      DateClosed: new Date(at).toISOString().slice(0, 10),
      ClosedReason: row.Status === 'Reinstated' ? 'Reinstated' : 'Sale completed',
    }),
  );
}

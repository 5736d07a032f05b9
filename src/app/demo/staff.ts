import { randomPassword } from '../../modules/access/person/lib/first-users.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { demoUser, type DemoUser, type NoteCall } from './demo-user.ts';

/** A user of the servicer in the demo. */
export interface StaffMember {
  readonly signIn: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly roles: string;
  /** What people see beside the name on the first-run page. */
  readonly job: string;
  readonly teams: readonly TeamName[];
  /** Whether a password is printed for this user; the others are colleagues. */
  readonly signsIn: boolean;
}

/** The teams of the demo. Each has a queue of its own. */
const teams = ['Intake', 'Title', 'Litigation', 'Sales', 'Bankruptcy'] as const;
export type TeamName = (typeof teams)[number];

/** The users of the demo besides those of the firms. Everybody is invented. */
const staff: readonly StaffMember[] = [
  {
    signIn: 'dana.okafor',
    firstName: 'Dana',
    lastName: 'Okafor',
    roles: 'Staff',
    job: 'Clerk',
    teams: ['Intake', 'Title', 'Litigation'],
    signsIn: true,
  },
  {
    signIn: 'ruth.vasquez',
    firstName: 'Ruth',
    lastName: 'Vasquez',
    roles: 'Team lead',
    job: 'Team lead',
    teams: ['Intake', 'Title', 'Litigation', 'Sales', 'Bankruptcy'],
    signsIn: true,
  },
  {
    signIn: 'mina.castell',
    firstName: 'Mina',
    lastName: 'Castell',
    roles: 'Analyst',
    job: 'Analyst',
    teams: [],
    signsIn: true,
  },
  {
    signIn: 'ivo.brandt',
    firstName: 'Ivo',
    lastName: 'Brandt',
    roles: 'Operator',
    job: 'Operator',
    teams: [],
    signsIn: true,
  },
  {
    signIn: 'theo.marsh',
    firstName: 'Theo',
    lastName: 'Marsh',
    roles: 'Staff',
    job: 'Clerk',
    teams: ['Title', 'Litigation'],
    signsIn: false,
  },
  {
    signIn: 'priya.lal',
    firstName: 'Priya',
    lastName: 'Lal',
    roles: 'Staff',
    job: 'Clerk',
    teams: ['Intake', 'Sales'],
    signsIn: false,
  },
  {
    signIn: 'joel.kearney',
    firstName: 'Joel',
    lastName: 'Kearney',
    roles: 'Staff',
    job: 'Clerk',
    teams: ['Bankruptcy', 'Sales'],
    signsIn: false,
  },
];

/** What the demo's operator may do. */
const OPERATOR_PERMISSIONS = [
  'RecordFind *Select *Search *Summary *ListByObject Queue* System* ErrorLog*',
  'MailDelivery* MailInboundTest MailOutboundTest MessageReceive WebhookDelivery* Schedule*',
  'PaymentProviderTest PaymentSettle PaymentReconcile',
  // Imports that failed are corrected and sent again; rows are saved as records of these types.
  'ImportFile* -ImportFileDelete ImportFileQueueRequeue ImportFileQueueCorrect FileObjectExpected',
  'PropertySave LoanSave ContactSave ForeclosureSave BankruptcySave',
].join(' ');

/** The users that play the demo's cases. */
export interface Cast {
  readonly admin: DemoUser;
  readonly analyst: DemoUser;
  readonly lead: DemoUser;
  /** Clerks who do not sign in. */
  readonly colleagues: readonly DemoUser[];
  readonly byTeam: ReadonlyMap<TeamName, readonly DemoUser[]>;
  readonly teamIds: ReadonlyMap<TeamName, number>;
}

/** Returns a user by the sign-in name; undefined if there is none. */
async function userNamed({ platform, admin, noteCall }: Office, signIn: string): Promise<DemoUser | undefined> {
  const { rows } = await admin.call('person/search', { Person: signIn, SqlColumns: 'PersonID' });
  const [row] = rows;
  return row && demoUser(platform, await platform.identity.ofPerson(row.PersonID), noteCall);
}

/** What creating the demo's users needs. */
export interface Office {
  readonly platform: Platform;
  readonly admin: DemoUser;
  readonly noteCall: NoteCall;
  /** Gets each new user who signs in, with the password. */
  readonly announce: (member: StaffMember, password: string) => void;
}

/** Creates the users and the teams, except those that are there already. */
export async function createStaff(office: Office): Promise<Cast> {
  const { admin } = office;
  await createOperatorRole(office);
  const teamIds = new Map<TeamName, number>();
  for (const team of teams) teamIds.set(team, await teamNamed(admin, team));
  let [analyst, lead] = [admin, admin];
  const colleagues: DemoUser[] = [];
  const byTeam = new Map<TeamName, DemoUser[]>(teams.map((team) => [team, []]));
  for (const member of staff) {
    const known = await userNamed(office, member.signIn);
    const user = known ?? (await createMember(office, member));
    if (member.job === 'Analyst') analyst = user;
    if (member.job === 'Team lead') lead = user;
    if (!member.signsIn) colleagues.push(user);
    for (const team of member.teams) byTeam.get(team)?.push(user);
    if (!known) await joinTeams(admin, member, user, teamIds);
  }
  return { admin, analyst, lead, colleagues, byTeam, teamIds };
}

async function createOperatorRole({ platform, admin }: Office): Promise<void> {
  const { rows } = await admin.call('role/search', { Role: 'Operator', SqlColumns: 'RoleID' });
  if (rows.length > 0) return;
  await admin.call('role/save', {
    Role: 'Operator',
    Description: 'Watches and repairs what runs in the background: jobs, mail, webhooks, errors.',
    Permissions: OPERATOR_PERMISSIONS,
    UniversalAccess: true,
    Status: 'Active',
  });
  platform.configuration.expire();
}

async function teamNamed(admin: DemoUser, team: TeamName): Promise<number> {
  const { rows } = await admin.call('collection/search', {
    Collection: team,
    SourceObject: 'Person',
    SqlColumns: 'CollectionID',
  });
  if (rows[0]) return rows[0].CollectionID;
  const { row } = await admin.call('collection/save', {
    Collection: team,
    CollectionType: 'Team',
    SourceObject: 'Person',
    Status: 'Active',
  });
  return row.CollectionID;
}

async function joinTeams(
  admin: DemoUser,
  member: StaffMember,
  user: DemoUser,
  teamIds: ReadonlyMap<TeamName, number>,
): Promise<void> {
  for (const [at, team] of member.teams.entries())
    await admin.call('collectionmember/save', {
      CollectionID: teamIds.get(team) ?? null,
      CollectionMember: `${member.firstName} ${member.lastName}`,
      SourceObjectID: user.personId,
      Priority: at + 1,
    });
}

async function createMember(office: Office, member: StaffMember): Promise<DemoUser> {
  const { platform, admin, announce } = office;
  const [initial, password] = [randomPassword(), randomPassword()];
  await admin.call('person/save', {
    Person: member.signIn,
    FirstName: member.firstName,
    LastName: member.lastName,
    Email: `${member.signIn}@harlan-pryce.example`,
    Password: initial,
    Roles: member.roles,
    Status: 'Active',
  });
  const ofMember = async (): Promise<DemoUser> => {
    platform.identity.forget();
    const user = await userNamed(office, member.signIn);
    if (!user) throw new Error(`the demo has no user ${member.signIn}`);
    return user;
  };
  // A password that somebody else has set is good for nothing but choosing another.
  await (await ofMember()).call('person/changepassword', { CurrentPassword: initial, NewPassword: password });
  if (member.signsIn) announce(member, password);
  return ofMember();
}

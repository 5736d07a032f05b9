/** A user of the demo, as the first-run page introduces them. */
export interface DemoPerson {
  readonly signIn: string;
  readonly job: string;
  readonly sees: string;
}

/** Who can sign in to the demo. A test compares the names with those that the demo creates. */
export const demoPeople: readonly DemoPerson[] = [
  { signIn: 'dana.okafor', job: 'Clerk', sees: 'All cases, and the queues of three teams' },
  { signIn: 'ruth.vasquez', job: 'Team lead', sees: 'The same, and the work of the teams' },
  { signIn: 'mina.castell', job: 'Analyst', sees: 'Workflows, tasks, decision tables, imports' },
  { signIn: 'ivo.brandt', job: 'Operator', sees: 'Jobs, mail, webhooks and errors' },
  { signIn: 'rosalind.pellerin', job: 'Lawyer at Northgate Law', sees: 'The cases of that firm only' },
  { signIn: 'administrator', job: 'Administrator', sees: 'Everything' },
];

/** A question of a standard task's form: its name, its kind, and what people read. */
export interface StandardQuestion {
  readonly name: string;
  readonly type: 'Boolean' | 'Date' | 'LongText' | 'Money' | 'Choice';
  readonly prompt: string;
  readonly required?: true;
  readonly choices?: readonly string[];
}

/** A task of the standard workflows; several may share one. */
export interface StandardTask {
  readonly appliesTo: 'Foreclosure' | 'Bankruptcy';
  readonly name: string;
  readonly instructions: string;
  readonly questions: readonly StandardQuestion[];
}

/** How long a step should take, in days or in business days. */
export interface StandardDuration {
  readonly days?: number;
  readonly businessDays?: number;
}

/**
 * A step. `task` makes the task of its name, `workflow` starts the other workflow of its name, `asks` is an XPath condition on the
 * case's summary, which `waits` asks again and again until it holds. `after`: one of each list must be complete; `Name=1` with that result.
 */
export interface StandardStep extends StandardDuration {
  readonly name: string;
  readonly kind: 'task' | 'workflow' | 'asks' | 'waits';
  readonly condition?: string;
  readonly workflow?: string;
  readonly after: readonly (readonly string[])[];
  readonly referenceDate?: string;
  readonly caseStatus?: string;
}

/** A standard workflow. */
export interface StandardWorkflow {
  readonly identifier: string;
  readonly name: string;
  readonly appliesTo: 'Foreclosure' | 'Bankruptcy';
  readonly description: string;
  readonly steps: readonly StandardStep[];
}

/** A standard hold, with the task that comes with it. */
export interface StandardHold {
  readonly identifier: string;
  readonly name: string;
  readonly appliesTo: 'Foreclosure' | 'Bankruptcy';
  readonly description: string;
  readonly task?: string;
}

type StepMore = Omit<StandardStep, 'name' | 'kind' | 'after'>;
type After = readonly (string | readonly string[])[];

const groups = (after: After): readonly (readonly string[])[] =>
  after.map((one) => (typeof one === 'string' ? [one] : one));
const task = (name: string, after: After, more: StepMore = {}): StandardStep => ({
  name,
  kind: 'task',
  after: groups(after),
  ...more,
});
const asks = (name: string, condition: string, after: After): StandardStep => ({
  name,
  kind: 'asks',
  condition,
  after: groups(after),
});
const waits = (name: string, condition: string, after: After): StandardStep => ({
  name,
  kind: 'waits',
  condition,
  after: groups(after),
});
const starts = (name: string, workflow: string, after: After): StandardStep => ({
  name,
  kind: 'workflow',
  workflow,
  after: groups(after),
});
/** Whether the last task of a name was answered with yes. */
const yes = (of: string, question: string): string =>
  `contains(/*/ImportForms/ImportFormItem[ImportForm = '${of}'][position() = last()]/XmlData, '<${question}>true</${question}>')`;

const yesNo = (name: string, prompt: string): StandardQuestion => ({ name, type: 'Boolean', prompt, required: true });
const day = (name: string, prompt: string): StandardQuestion => ({ name, type: 'Date', prompt });
const amount = (name: string, prompt: string): StandardQuestion => ({ name, type: 'Money', prompt });
const remarks: StandardQuestion = { name: 'Remarks', type: 'LongText', prompt: 'Remarks' };

const foreclosureTask = (name: string, instructions: string, ...questions: StandardQuestion[]): StandardTask => ({
  appliesTo: 'Foreclosure',
  name,
  instructions,
  questions: [...questions, remarks],
});
const bankruptcyTask = (name: string, instructions: string, ...questions: StandardQuestion[]): StandardTask => ({
  appliesTo: 'Bankruptcy',
  name,
  instructions,
  questions: [...questions, remarks],
});

/** The tasks of the standard workflows and holds. */
export const standardTasks: readonly StandardTask[] = [
  foreclosureTask(
    'Review the referral',
    'Compare the referral with the note and the security instrument.',
    yesNo('DocumentsComplete', 'Is everything there that the case needs?'),
  ),
  foreclosureTask(
    'Obtain missing documents',
    'Ask the servicer for what is missing, and follow up.',
    day('ReceivedOn', 'Received on'),
  ),
  foreclosureTask(
    'Check military service',
    'Search for active duty of each borrower, and keep the certificates with the case.',
    yesNo('OnActiveDuty', 'Is a borrower on active duty?'),
  ),
  foreclosureTask(
    'Order the title search',
    'Order a search from the date of the security instrument on.',
    day('OrderedOn', 'Ordered on'),
  ),
  foreclosureTask(
    'Review the title',
    'Look for senior liens, breaks in the chain and parties that must be joined.',
    yesNo('TitleClear', 'Is the title clear?'),
  ),
  foreclosureTask('Cure the title', 'Have the defects cured that the review has found.', day('CuredOn', 'Cured on')),
  foreclosureTask(
    'Send the breach letter',
    'Send the letter to each borrower at each known address.',
    day('SentOn', 'Sent on'),
  ),
  foreclosureTask(
    'Confirm the end of the breach period',
    'See whether the default was cured before the period ran out.',
    day('EndedOn', 'Ended on'),
  ),
  foreclosureTask(
    'File the complaint',
    'File the complaint and record the notice of the pending suit.',
    day('FiledOn', 'Filed on'),
  ),
  foreclosureTask(
    'Serve the parties',
    'Serve each party; publish where one cannot be found.',
    yesNo('AnswerFiled', 'Has a party answered in time?'),
    day('ServedOn', 'Last party served on'),
  ),
  foreclosureTask(
    'Move for default judgment',
    'File the motion with the affidavits of service and of debt.',
    day('MovedOn', 'Filed on'),
  ),
  foreclosureTask(
    'Move for summary judgment',
    'Answer the defenses and file the motion with its evidence.',
    day('MovedOn', 'Filed on'),
  ),
  foreclosureTask(
    'Obtain the judgment',
    'Keep the signed judgment with the case.',
    day('EnteredOn', 'Entered on'),
    amount('JudgmentAmount', 'Amount of the judgment'),
  ),
  foreclosureTask(
    'Publish the notice of sale',
    'Publish as often as the law asks for, and keep the proof.',
    day('FirstPublishedOn', 'First published on'),
  ),
  foreclosureTask('Prepare the bid', 'Have the bid instructions confirmed.', amount('BidAmount', 'Bid')),
  foreclosureTask(
    'Hold the sale',
    'Attend the sale and report the result the same day.',
    yesNo('SoldToThirdParty', 'Was it sold to a third party?'),
    amount('SalePrice', 'Price'),
  ),
  foreclosureTask(
    'Collect the proceeds',
    'Collect the price from whoever has sold, and pass it on.',
    amount('ProceedsAmount', 'Received'),
  ),
  foreclosureTask('Record the deed', 'Have the deed issued and recorded.', day('RecordedOn', 'Recorded on')),
  foreclosureTask('Close the foreclosure file', 'Send the final documents and the last invoice.'),
  foreclosureTask(
    'Substitute the trustee',
    'Record the substitution before the first notice goes out.',
    day('RecordedOn', 'Recorded on'),
  ),
  foreclosureTask(
    'Record the notice of default',
    'Record the notice where the property lies.',
    day('RecordedOn', 'Recorded on'),
  ),
  foreclosureTask(
    'Mail the notice of default',
    'Mail it to borrowers and to whoever has asked for notice.',
    day('MailedOn', 'Mailed on'),
  ),
  foreclosureTask(
    'Post the notice of sale',
    'Post it at the property and where the law says.',
    day('PostedOn', 'Posted on'),
  ),
  foreclosureTask(
    'Check for reinstatement',
    'Ask the servicer on the day before the sale whether the loan was reinstated or paid.',
    yesNo('Reinstated', 'Was the loan reinstated or paid?'),
  ),
  foreclosureTask('Cancel the sale', 'Tell the trustee and withdraw the notices.', day('CanceledOn', 'Canceled on')),
  foreclosureTask(
    'Check the bankruptcy docket',
    'Find the case and tell what was filed.',
    { name: 'Chapter', type: 'Choice', prompt: 'Chapter', choices: ['7', '11', '12', '13'] },
    day('PetitionDate', 'Petition filed on'),
  ),
  foreclosureTask(
    'Review the workout',
    'See whether the application is complete and when it will be decided.',
    day('DecisionExpectedOn', 'Decision expected on'),
  ),
  bankruptcyTask(
    'Review the bankruptcy referral',
    'Compare the referral with the docket.',
    yesNo('DebtDisputed', 'Is the debt disputed already?'),
  ),
  bankruptcyTask(
    'Obtain the payment history',
    'Ask for the history from the first payment missed on.',
    day('ReceivedOn', 'Received on'),
  ),
  bankruptcyTask(
    'Calculate arrears after the petition',
    'Count payments, fees and charges since the petition.',
    amount('ArrearsAmount', 'Arrears'),
  ),
  bankruptcyTask(
    'Check the plan payments',
    'See what was paid under the plan, and to whom.',
    amount('PaidAmount', 'Paid'),
  ),
  bankruptcyTask('Value the property', 'Obtain a value as of the petition.', amount('PropertyValue', 'Value')),
  bankruptcyTask(
    'Prepare the motion for relief',
    'Draft the motion with its exhibits and the worksheet that the court asks for.',
  ),
  bankruptcyTask(
    'Sign the declaration',
    'Have the declaration signed by somebody who knows the records.',
    day('SignedOn', 'Signed on'),
  ),
  bankruptcyTask('File the motion for relief', 'File, pay the fee and ask for a hearing.', day('FiledOn', 'Filed on')),
  bankruptcyTask(
    'Serve the motion',
    'Serve debtor, counsel and trustee.',
    yesNo('ObjectionFiled', 'Was an objection filed?'),
  ),
  bankruptcyTask(
    'Negotiate an agreed order',
    'Propose terms under which the stay would stand.',
    yesNo('Agreed', 'Was an order agreed?'),
  ),
  bankruptcyTask('Attend the hearing', 'Attend, and report the result the same day.'),
  bankruptcyTask(
    'Submit the order',
    'Submit the order and keep the signed one with the case.',
    day('EnteredOn', 'Entered on'),
  ),
  bankruptcyTask('Close the motion', 'Tell whoever is to go on with the foreclosure.'),
  bankruptcyTask(
    'Calculate arrears before the petition',
    'Count payments, fees, charges and escrow up to the petition.',
    amount('ArrearsAmount', 'Arrears'),
  ),
  bankruptcyTask(
    'Collect the loan documents',
    'Note, security instrument, assignments.',
    day('CollectedOn', 'Collected on'),
  ),
  bankruptcyTask(
    'Analyze the escrow account',
    'Make the statement as of the petition.',
    amount('EscrowShortage', 'Shortage'),
  ),
  bankruptcyTask('Prepare the claim', 'Fill in the claim with its attachment.', amount('ClaimAmount', 'Claim')),
  bankruptcyTask(
    'Approve the claim',
    'Compare the claim with the history before it goes out.',
    yesNo('ClaimCorrect', 'Is the claim right?'),
  ),
  bankruptcyTask('Correct the claim', 'Mend what was found.'),
  bankruptcyTask('File the claim', 'File before the bar date, and keep the receipt.', day('FiledOn', 'Filed on')),
  bankruptcyTask(
    'Watch for objections',
    'Look at the docket until the time for objections is over.',
    yesNo('ObjectionFiled', 'Was an objection filed?'),
  ),
  bankruptcyTask('Answer the objection', 'Answer in time, or amend the claim.', day('AnsweredOn', 'Answered on')),
  bankruptcyTask('Compare the plan', 'See whether the plan pays what was claimed.'),
  bankruptcyTask('Close the claim', 'Tell the servicer what was allowed.', amount('AllowedAmount', 'Allowed')),
];

/** The beginning that both kinds of foreclosure share. */
const intake: readonly StandardStep[] = [
  task('Review the referral', [], { businessDays: 2 }),
  asks('Documents are complete', yes('Review the referral', 'DocumentsComplete'), ['Review the referral']),
  task('Obtain missing documents', ['Documents are complete=0'], { businessDays: 5 }),
  task('Check military service', ['Review the referral'], { businessDays: 1 }),
  task('Order the title search', [['Documents are complete=1', 'Obtain missing documents']], { businessDays: 1 }),
  task('Review the title', ['Order the title search'], { businessDays: 10 }),
  asks('Title is clear', yes('Review the title', 'TitleClear'), ['Review the title']),
  task('Cure the title', ['Title is clear=0'], { days: 30 }),
];

const saleIsSet = "string(/*/ScheduledSaleDate) != ''";

const judicial: StandardWorkflow = {
  identifier: 'standard/foreclosure-judicial',
  name: 'Foreclosure, judicial',
  appliesTo: 'Foreclosure',
  description: 'From the referral over complaint, service, judgment and sale to the deed.',
  steps: [
    ...intake,
    task('Send the breach letter', [['Documents are complete=1', 'Obtain missing documents']], { businessDays: 3 }),
    task('Confirm the end of the breach period', ['Send the breach letter'], { days: 30 }),
    task(
      'File the complaint',
      [['Title is clear=1', 'Cure the title'], 'Confirm the end of the breach period', 'Check military service'],
      { businessDays: 5, caseStatus: 'In litigation' },
    ),
    task('Serve the parties', ['File the complaint'], { days: 45 }),
    asks('An answer was filed', yes('Serve the parties', 'AnswerFiled'), ['Serve the parties']),
    task('Move for summary judgment', ['An answer was filed=1'], { days: 60 }),
    task('Move for default judgment', ['An answer was filed=0'], { businessDays: 10 }),
    task('Obtain the judgment', [['Move for summary judgment', 'Move for default judgment']], {
      days: 45,
      caseStatus: 'Judgment',
    }),
    waits('Wait for the sale date', saleIsSet, ['Obtain the judgment']),
    task('Publish the notice of sale', ['Wait for the sale date'], { businessDays: 5 }),
    task('Prepare the bid', ['Wait for the sale date'], { businessDays: 5 }),
    task('Hold the sale', ['Publish the notice of sale', 'Prepare the bid'], {
      days: 0,
      referenceDate: 'ScheduledSaleDate',
      caseStatus: 'Sale held',
    }),
    asks('Sold to a third party', yes('Hold the sale', 'SoldToThirdParty'), ['Hold the sale']),
    task('Collect the proceeds', ['Sold to a third party=1'], { businessDays: 10 }),
    task('Record the deed', ['Sold to a third party=0'], { businessDays: 15 }),
    task('Close the foreclosure file', [['Collect the proceeds', 'Record the deed']], { businessDays: 5 }),
  ],
};

const nonJudicial: StandardWorkflow = {
  identifier: 'standard/foreclosure-non-judicial',
  name: 'Foreclosure, non-judicial',
  appliesTo: 'Foreclosure',
  description: "From the referral over the notices and the trustee's sale to the deed.",
  steps: [
    ...intake,
    task('Substitute the trustee', [['Title is clear=1', 'Cure the title'], 'Check military service'], {
      businessDays: 5,
    }),
    task('Record the notice of default', ['Substitute the trustee'], { businessDays: 3, caseStatus: 'Noticed' }),
    task('Mail the notice of default', ['Record the notice of default'], { businessDays: 2 }),
    waits('Wait for the sale date', saleIsSet, ['Mail the notice of default']),
    task('Publish the notice of sale', ['Wait for the sale date'], { businessDays: 5 }),
    task('Post the notice of sale', ['Wait for the sale date'], { businessDays: 5 }),
    task('Check for reinstatement', ['Publish the notice of sale', 'Post the notice of sale'], {
      days: 0,
      referenceDate: 'ScheduledSaleDate',
    }),
    asks('The loan was reinstated', yes('Check for reinstatement', 'Reinstated'), ['Check for reinstatement']),
    task('Cancel the sale', ['The loan was reinstated=1'], { businessDays: 1, caseStatus: 'Reinstated' }),
    task('Prepare the bid', ['The loan was reinstated=0'], { businessDays: 1 }),
    task('Hold the sale', ['Prepare the bid'], {
      days: 0,
      referenceDate: 'ScheduledSaleDate',
      caseStatus: 'Sale held',
    }),
    asks('Sold to a third party', yes('Hold the sale', 'SoldToThirdParty'), ['Hold the sale']),
    task('Collect the proceeds', ['Sold to a third party=1'], { businessDays: 5 }),
    task('Record the deed', ['Sold to a third party=0'], { businessDays: 15 }),
    task('Close the foreclosure file', [['Cancel the sale', 'Collect the proceeds', 'Record the deed']], {
      businessDays: 5,
    }),
  ],
};

/** States in which foreclosure goes through the courts as a rule. */
const courtStates = 'CT DE FL HI IL IN IA KS KY LA ME ND NJ NM NY OH OK PA SC VT WI';
const inCourtState = `string(/*/Loan/Property/State) != '' and contains(' ${courtStates} ', concat(' ', /*/Loan/Property/State, ' '))`;

const referral: StandardWorkflow = {
  identifier: 'standard/foreclosure-referral',
  name: 'Foreclosure referral',
  appliesTo: 'Foreclosure',
  description:
    'Picks the kind of foreclosure by the ProcessType, else by the state of the property, and ends with it. New foreclosure referrals start it.',
  steps: [
    asks(
      'The courts foreclose',
      `/*/ProcessType = 'Judicial' or (not(/*/ProcessType = 'Non Judicial') and ${inCourtState})`,
      [],
    ),
    starts('Judicial foreclosure', 'standard/foreclosure-judicial', ['The courts foreclose=1']),
    starts('Non-judicial foreclosure', 'standard/foreclosure-non-judicial', ['The courts foreclose=0']),
  ],
};

const relief: StandardWorkflow = {
  identifier: 'standard/bankruptcy-mfr',
  name: 'Motion for relief',
  appliesTo: 'Bankruptcy',
  description: 'From the referral over motion, objection and hearing to the order. New motions for relief start it.',
  steps: [
    task('Review the bankruptcy referral', [], { businessDays: 1 }),
    task('Obtain the payment history', ['Review the bankruptcy referral'], { businessDays: 3 }),
    asks('There is a plan', "/*/Chapter = '13' or /*/Chapter = '12' or /*/Chapter = '11'", [
      'Review the bankruptcy referral',
    ]),
    task('Check the plan payments', ['There is a plan=1'], { businessDays: 3 }),
    task('Value the property', ['There is a plan=0'], { businessDays: 5 }),
    task(
      'Calculate arrears after the petition',
      ['Obtain the payment history', ['Check the plan payments', 'Value the property']],
      { businessDays: 2 },
    ),
    task('Prepare the motion for relief', ['Calculate arrears after the petition'], { businessDays: 3 }),
    task('Sign the declaration', ['Prepare the motion for relief'], { businessDays: 3 }),
    task('File the motion for relief', ['Sign the declaration'], { businessDays: 1, caseStatus: 'Motion filed' }),
    task('Serve the motion', ['File the motion for relief'], { days: 14 }),
    asks('An objection was filed', yes('Serve the motion', 'ObjectionFiled'), ['Serve the motion']),
    task('Negotiate an agreed order', ['An objection was filed=1'], { days: 14 }),
    asks('An order was agreed', yes('Negotiate an agreed order', 'Agreed'), ['Negotiate an agreed order']),
    waits('Wait for the hearing date', "string(/*/HearingDate) != ''", [
      ['An objection was filed=0', 'An order was agreed=0'],
    ]),
    task('Attend the hearing', ['Wait for the hearing date'], { days: 0, referenceDate: 'HearingDate' }),
    task('Submit the order', [['Attend the hearing', 'An order was agreed=1']], {
      businessDays: 3,
      caseStatus: 'Order entered',
    }),
    task('Close the motion', ['Submit the order'], { businessDays: 5 }),
  ],
};

const claim: StandardWorkflow = {
  identifier: 'standard/bankruptcy-poc',
  name: 'Proof of claim',
  appliesTo: 'Bankruptcy',
  description:
    'From the referral over the claim, filed before the bar date, to what the plan says of it. New proofs of claim start it.',
  steps: [
    task('Review the bankruptcy referral', [], { businessDays: 1 }),
    task('Obtain the payment history', ['Review the bankruptcy referral'], { businessDays: 3 }),
    task('Collect the loan documents', ['Review the bankruptcy referral'], { businessDays: 5 }),
    task('Calculate arrears before the petition', ['Obtain the payment history'], { businessDays: 2 }),
    asks('There is a plan', "/*/Chapter = '13' or /*/Chapter = '12' or /*/Chapter = '11'", [
      'Review the bankruptcy referral',
    ]),
    task('Analyze the escrow account', ['There is a plan=1'], { businessDays: 3 }),
    waits('Wait for the bar date', "string(/*/BarDate) != ''", ['Review the bankruptcy referral']),
    task(
      'Prepare the claim',
      [
        'Calculate arrears before the petition',
        'Collect the loan documents',
        ['There is a plan=0', 'Analyze the escrow account'],
      ],
      { businessDays: 3 },
    ),
    task('Approve the claim', ['Prepare the claim'], { businessDays: 1 }),
    asks('The claim is right', yes('Approve the claim', 'ClaimCorrect'), ['Approve the claim']),
    task('Correct the claim', ['The claim is right=0'], { businessDays: 2 }),
    task('File the claim', [['The claim is right=1', 'Correct the claim'], 'Wait for the bar date'], {
      days: 0,
      referenceDate: 'BarDate',
      caseStatus: 'Claim filed',
    }),
    task('Watch for objections', ['File the claim'], { days: 30 }),
    asks('An objection was filed', yes('Watch for objections', 'ObjectionFiled'), ['Watch for objections']),
    task('Answer the objection', ['An objection was filed=1'], { days: 14 }),
    task('Compare the plan', [['An objection was filed=0', 'Answer the objection']], { businessDays: 5 }),
    task('Close the claim', ['Compare the plan'], { businessDays: 5, caseStatus: 'Claim allowed' }),
  ],
};

/** The standard workflows; one that another starts stands before it. */
export const standardWorkflows: readonly StandardWorkflow[] = [judicial, nonJudicial, referral, relief, claim];

/** The standard holds. */
export const standardHolds: readonly StandardHold[] = [
  {
    identifier: 'standard/bankruptcy-hold',
    name: 'Bankruptcy hold',
    appliesTo: 'Foreclosure',
    description: 'A borrower has filed for bankruptcy: the stay forbids to go on.',
    task: 'Check the bankruptcy docket',
  },
  {
    identifier: 'standard/loss-mitigation-hold',
    name: 'Loss mitigation hold',
    appliesTo: 'Foreclosure',
    description: 'A workout is under review.',
    task: 'Review the workout',
  },
  {
    identifier: 'standard/title-hold',
    name: 'Title hold',
    appliesTo: 'Foreclosure',
    description: 'The title has a defect that must be cured first.',
  },
  {
    identifier: 'standard/court-hold',
    name: 'Court hold',
    appliesTo: 'Bankruptcy',
    description: 'The court has put the matter off.',
  },
];

/** Which workflow a new referral of each kind starts. */
export const referralWorkflows: Readonly<Record<string, string>> = {
  Foreclosure: 'standard/foreclosure-referral',
  MFR: 'standard/bankruptcy-mfr',
  POC: 'standard/bankruptcy-poc',
};

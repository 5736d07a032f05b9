/** Notes that people write when they complete a task, by the task's name. */
export const notes: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'Review the referral',
    [
      'Referral reviewed. Note, mortgage and assignment chain are in the file.',
      'The breach letter in the file is for a prior default; asked the servicer for the current one.',
    ],
  ],
  ['Obtain missing documents', ['The servicer sent the allonge today. Nothing else is missing.']],
  [
    'Review the title',
    [
      'Title report read: taxes paid through this year, no judgments against {name}.',
      'An open lien of a prior lender shows on the report. Payoff letter requested.',
    ],
  ],
  ['Cure the title', ['The release was recorded. Title agent confirms clear title.']],
  ['File the complaint', ['Complaint filed; lis pendens recorded the same day.']],
  [
    'Serve the parties',
    [
      'Personal service on {name} at the property.',
      'Served by substitute on an adult occupant after three attempts.',
      'Borrower called: wants to know how much it takes to reinstate. Sent the figures.',
    ],
  ],
  [
    'Obtain the judgment',
    ['Judgment entered as submitted.', 'The court asked for an updated affidavit of debt; filed.'],
  ],
  [
    'Prepare the bid',
    ['Bid approved at total debt.', 'Valuation is 31 days old; bid approved at 85 percent of value.'],
  ],
  ['Hold the sale', ['Sale held at 10 AM. Three bidders.', 'No third-party bids; property reverted to the investor.']],
  ['Check for reinstatement', ['No funds received. Proceeding to sale.']],
  ['Mail the notice of default', ['Mailed certified to {name} and the occupant.']],
]);

/** Documents that are filed when a task is completed, by the task's name. */
export const letters: ReadonlyMap<string, string> = new Map([
  ['Review the title', 'Title report'],
  ['Send the breach letter', 'Breach letter'],
  ['File the complaint', 'Complaint as filed'],
  ['Serve the parties', 'Affidavit of service'],
  ['Obtain the judgment', 'Final judgment'],
  ['Record the notice of default', 'Recorded notice of default'],
  ['Publish the notice of sale', 'Publisher affidavit'],
  ['Prepare the bid', 'Bid approval'],
  ['Hold the sale', 'Sale report'],
  ['Record the deed', 'Recorded deed'],
]);

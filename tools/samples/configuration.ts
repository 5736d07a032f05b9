/** The senders of the samples, by sign-in name; passwords are created with the firms. */
export const firms = [
  {
    code: 'northgate-law',
    organization: 'Northgate Law',
    providerCode: 'NGL',
    source: 'https://cases.northgate-law.example',
    address: { address: '40 Larkspur Avenue', city: 'Fairhollow', state: 'NY', postalCode: '10412' },
    phone: '555-0140',
    persons: [
      {
        signIn: 'northgate.import',
        firstName: 'Import',
        lastName: 'Northgate',
        email: 'import@northgate-law.example',
        role: 'Partner',
        automation: true,
      },
      {
        signIn: 'rosalind.pellerin',
        firstName: 'Rosalind',
        lastName: 'Pellerin',
        email: 'rosalind.pellerin@northgate-law.example',
        role: 'Partner',
        automation: false,
      },
    ],
  },
  {
    code: 'harrow-finch',
    organization: 'Harrow & Finch LLP',
    providerCode: 'HAF',
    source: 'https://matters.harrow-finch.example',
    address: { address: '7 Ironbridge Court', city: 'Granby Falls', state: 'OH', postalCode: '44208' },
    phone: '555-0107',
    persons: [
      {
        signIn: 'harrow.import',
        firstName: 'Import',
        lastName: 'Harrow',
        email: 'import@harrow-finch.example',
        role: 'Partner',
        automation: true,
      },
      {
        signIn: 'silas.wexcombe',
        firstName: 'Silas',
        lastName: 'Wexcombe',
        email: 'silas.wexcombe@harrow-finch.example',
        role: 'Partner',
        automation: false,
      },
    ],
  },
  {
    code: 'cedar-point',
    organization: 'Cedar Point Legal Group',
    providerCode: 'CPL',
    source: 'https://docket.cedar-point.example',
    address: { address: '1200 Windmill Way', city: 'Mesa Alta', state: 'AZ', postalCode: '85331' },
    phone: '555-0112',
    persons: [
      {
        signIn: 'cedar.import',
        firstName: 'Import',
        lastName: 'Cedar',
        email: 'import@cedar-point.example',
        role: 'Partner',
        automation: true,
      },
      {
        signIn: 'greta.ostergard',
        firstName: 'Greta',
        lastName: 'Ostergard',
        email: 'greta.ostergard@cedar-point.example',
        role: 'Partner',
        automation: false,
      },
    ],
  },
] as const;

/** One of the firms. */
export type Firm = (typeof firms)[number];

/**
 * The templates that the samples use, for the demo to create. A ledger's items are lines; a line's element is its name
 * without spaces. A line with `items` is a separate ledger whose total is rolled up into the line.
 */
export const templates = {
  forms: [
    ...[
      'Referral Received',
      'Title Search Ordered',
      'Title Search Received',
      'Demand Letter Sent',
      'Complaint Filed',
      'Service Complete',
      'Judgment Entered',
      'Sale Scheduled',
      'Sale Held',
    ].map((name) => ({ name, appliesTo: 'Foreclosure' })),
    ...['Proof of Claim Filed', 'Motion for Relief Filed', 'Order Entered'].map((name) => ({
      name,
      appliesTo: 'Bankruptcy',
    })),
  ],
  delays: [
    ...['Bankruptcy Filed', 'Loss Mitigation', 'Title Issue', 'Court Delay', 'Service Delay'].map((name) => ({
      name,
      appliesTo: 'Foreclosure',
    })),
    { name: 'Trustee Review', appliesTo: 'Bankruptcy' },
  ],
  messages: [
    { name: 'Case Note', appliesTo: 'Foreclosure' },
    { name: 'Status Request', appliesTo: 'Foreclosure' },
    { name: 'Bankruptcy Note', appliesTo: 'Bankruptcy' },
  ],
  documents: [
    ...['Complaint', 'Payoff Letter', 'Title Report', 'Judgment'].map((name) => ({ name, appliesTo: 'Foreclosure' })),
    { name: 'Proof of Claim', appliesTo: 'Bankruptcy' },
  ],
  ledgers: [
    {
      name: 'Total Debt',
      appliesTo: 'Foreclosure',
      element: 'TotalDebtLedger',
      items: [
        { name: 'Accrued Interest' },
        { name: 'Accrued Late Charges' },
        { name: 'Escrow Advances' },
        { name: 'Pending Advances' },
        {
          name: 'FC Fees Costs',
          items: [
            { name: 'Foreclosure Fee' },
            { name: 'Filing Fee' },
            { name: 'Title Cost' },
            { name: 'Publication Cost' },
          ],
        },
      ],
    },
    {
      name: 'Pre Petition Arrearages',
      appliesTo: 'Bankruptcy',
      element: 'PrePetitionArrearagesLedger',
      items: [{ name: 'Missed Payments' }, { name: 'Accrued Late Charges' }, { name: 'Escrow Shortage' }],
    },
    {
      name: 'Post Petition Arrearages',
      appliesTo: 'Bankruptcy',
      element: 'PostPetitionArrearagesLedger',
      items: [{ name: 'Missed Payments' }, { name: 'Accrued Late Charges' }, { name: 'Attorney Costs' }],
    },
  ],
} as const;

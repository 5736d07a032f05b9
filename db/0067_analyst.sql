-- Of the roles that exist, none may be changed: somebody may have edited it. The new one is that of new installations. An
-- empty database gets its roles at its first start.
insert into role (role, status, description, permissions, universalaccess)
  select 'Analyst', 'Active',
    'Staff who configure workflows, forms, rules, scores, imports, queues and reports; not users, keys or settings.',
    '* -Person* -Role* -ApiKey* -Session* -Setting* -SecurityLog* -ErrorLog* -Queue* -Metrics* -System* '
    '-ObjectSubscription* -Webhook* -WebhookDelivery* -SftpAccount* -FileObject* -MailOutbound* -MailDelivery* '
    '-MilitaryService* -OrganizationEnroll -OrganizationExpireRegistrations -OrganizationLookup -OrganizationRenewLookup '
    '-OrganizationWithdrawLookup -UnmaskSSN PersonSelect PersonSearch QueueStatus QueueSchedules QueueCancel',
    true
  where exists (select from role) and not exists (select from role where lower(role) = 'analyst');

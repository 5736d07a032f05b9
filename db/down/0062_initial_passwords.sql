-- down: which passwords their users have not changed yet; these become ordinary passwords
alter table person drop column initialpassworddate;

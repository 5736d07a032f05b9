-- Whether people are led to the first steps: to set up, through the demo, or not.
update setting set setting = 'FirstSteps', value = 'Hidden' where setting = 'WelcomeHidden' and value = 'true';
delete from setting where setting = 'WelcomeHidden';
